@route53 @health
Feature: Health and the search for an answer
  Health decides which records of a group are candidates; the routing policy picks among them. A group never answers
  with nothing because of health.

  @R53-1
  Rule: A query reads the last status of a health check and causes no probe
    How Amazon Route 53 chooses records when health checking is configured
    How health checks work in simple Amazon Route 53 configurations

    Scenario: A record follows its health check from question to question
      Given the zone "example.com" with the record sets:
        | name | routing  | id | health check |
        | www  | weight 1 | a  | hc-a         |
        | www  | weight 1 | b  | hc-b         |
      And the health check "hc-a" is unhealthy
      When many clients ask for A "www"
      Then the answer is b
      When the health checks are:
        | health check | status    |
        | hc-a         | healthy   |
        | hc-b         | unhealthy |
      And many clients ask for A "www"
      Then the answer is a

    Scenario: One health check hangs on records of two names
      Given the zone "example.com" with the record sets:
        | name | routing            | id    | health check |
        | www  | failover primary   | www-p | hc-shared    |
        | www  | failover secondary | www-s |              |
        | api  | failover primary   | api-p | hc-shared    |
        | api  | failover secondary | api-s |              |
      And the health check "hc-shared" is unhealthy
      When a client asks for A "www"
      Then the answer is www-s
      When a client asks for A "api"
      Then the answer is api-s

    Scenario: Questions do not add to the probes
      Given the zone "example.com" with the record sets:
        | name | routing            | id    | health check |
        | www  | failover primary   | www-p | hc-www       |
        | www  | failover secondary | www-s |              |
      And the health check "hc-www" is created:
        """
        { cell: east, http: /health, interval: 30s }
        """
      Then the endpoint of "hc-www" is probed 16 to 16 times in 30 s, from 8 Regions
      When many clients ask for A "www"
      Then the answer is www-p
      And the endpoint of "hc-www" is probed 16 to 16 times in 30 s, from 8 Regions

    Scenario: What no probe has found yet is not answered
      Given the zone "example.com" with the record sets:
        | name | routing            | id    | health check |
        | www  | failover primary   | www-p | hc-www       |
        | www  | failover secondary | www-s |              |
      And the health check "hc-www" is created:
        """
        { cell: east, http: /health, interval: 30s }
        """
      And 120 s pass
      When the endpoint of "hc-www" refuses connections
      And many clients ask for A "www"
      Then the answer is www-p
      When 90 s pass
      And many clients ask for A "www"
      Then the answer is www-s

  @R53-2
  Rule: A health check speaks of its own endpoint, never of the values of the record it hangs on
    How health checks work in simple Amazon Route 53 configurations
    Values specific for failover records

    Scenario: Two records have one address and two health checks
      Given the zone "example.com" with the record sets:
        | name | routing            | id    | health check | values    |
        | www  | failover primary   | www-p | hc-www       | 192.0.2.1 |
        | www  | failover secondary | www-s |              | 192.0.2.2 |
        | api  | failover primary   | api-p | hc-api       | 192.0.2.1 |
        | api  | failover secondary | api-s |              | 192.0.2.2 |
      And the health check "hc-www" is unhealthy
      When a client asks for A "www"
      Then the answer is www-s
      When a client asks for A "api"
      Then the answer is api-p

    Scenario: The endpoint of one of them dies
      Given the zone "example.com" with the record sets:
        | name | routing            | id    | health check | values    |
        | www  | failover primary   | www-p | hc-www       | 192.0.2.1 |
        | www  | failover secondary | www-s |              | 192.0.2.2 |
        | api  | failover primary   | api-p | hc-api       | 192.0.2.1 |
        | api  | failover secondary | api-s |              | 192.0.2.2 |
      And the health check "hc-www" is created:
        """
        { cell: east, http: /health, interval: 10s }
        """
      And the health check "hc-api" is created:
        """
        { cell: west, http: /health, interval: 10s }
        """
      And 60 s pass
      When the endpoint of "hc-www" refuses connections
      And 30 s pass
      Then the health check "hc-www" is unhealthy
      And the health check "hc-api" is healthy
      When a client asks for A "www"
      Then the answer is www-s
      When a client asks for A "api"
      Then the answer is api-p

  @R53-3
  Rule: A record with values and without health check is always a candidate
    How Amazon Route 53 chooses records when health checking is configured

    Scenario: An unchecked record is all that is left
      Given the zone "example.com" with the record sets:
        | name | routing    | id        | health check |
        | www  | weight 200 | a         | hc-a         |
        | www  | weight 200 | b         | hc-b         |
        | www  | weight 1   | unchecked |              |
      And every health check is unhealthy
      When many clients ask for A "www"
      Then the answer is unchecked

    Scenario: An unchecked record is a candidate like any other
      Given the zone "example.com" with the record sets:
        | name | routing  | id        | health check |
        | www  | weight 1 | a         | hc-a         |
        | www  | weight 1 | unchecked |              |
      When many clients ask for A "www"
      Then the answers are shared:
        | answer    | share |
        | a         | 1/2   |
        | unchecked | 1/2   |

  @R53-5
  Rule: An alias that neither evaluates its target nor has a health check is always healthy
    How health checks work in complex Amazon Route 53 configurations

    Scenario Outline: A secondary alias with nothing that could make it unhealthy, its target <status>
      Given the zone "example.com" with the record sets:
        | name | routing  | id     | health check | alias to | evaluate target health |
        | www  | weight 1 | a      |              | home     | no                     |
        | www  | weight 1 | b      | hc-b         |          |                        |
        | home | weight 1 | home-1 | hc-1         |          |                        |
      And the health checks are:
        | health check | status    |
        | hc-1         | <status>  |
        | hc-b         | unhealthy |
      When many clients ask for A "www"
      Then the answer is home-1

      Examples:
        | status    |
        | healthy   |
        | unhealthy |

    Scenario: Its share does not change when the target fails
      Given the zone "example.com" with the record sets:
        | name | routing  | id     | health check | alias to | evaluate target health |
        | www  | weight 3 | a      |              | home     | no                     |
        | www  | weight 1 | b      | hc-b         |          |                        |
        | home | weight 1 | home-1 | hc-1         |          |                        |
      And the health check "hc-1" is unhealthy
      When many clients ask for A "www"
      Then the answers are shared:
        | answer | share |
        | home-1 | 3/4   |
        | b      | 1/4   |

  @R53-9
  Rule: An unhealthy pick is dropped and the policy picks again among the rest
    How Amazon Route 53 chooses records when health checking is configured
    How health checks work in simple Amazon Route 53 configurations

    Scenario: The pick among the rest keeps to the policy
      Given the zone "example.com" with the record sets:
        | name | routing    | id    | health check |
        | www  | weight 100 | heavy | hc-heavy     |
        | www  | weight 1   | a     | hc-a         |
        | www  | weight 2   | b     | hc-b         |
        | www  | weight 3   | c     | hc-c         |
      And the health checks are:
        | health check | status    |
        | hc-heavy     | unhealthy |
        | hc-b         | unhealthy |
      When many clients ask for A "www"
      Then the answers are shared:
        | answer | share |
        | a      | 1/4   |
        | c      | 3/4   |

  @R53-10
  Rule: A group without a healthy record answers as if all were healthy
    How Amazon Route 53 chooses records when health checking is configured
    How Amazon Route 53 averts failover problems

    Scenario: A weighted group without a healthy record
      Given the zone "example.com" with the record sets:
        | name | routing  | id | health check |
        | www  | weight 1 | a  | hc-a         |
        | www  | weight 1 | b  | hc-b         |
      And every health check is unhealthy
      When many clients ask for A "www"
      Then the answers are shared:
        | answer | share |
        | a      | 1/2   |
        | b      | 1/2   |
      And the answer is the last resort

    Scenario: A latency group without a healthy record
      Given the zone "example.com" with the record sets:
        | name | routing           | id   | health check |
        | www  | latency sa-east-1 | near | hc-near      |
        | www  | latency eu-west-1 | far  | hc-far       |
      And every health check is unhealthy
      When many clients in Brazil ask for A "www"
      Then the answer is near
      And the answer is the last resort

    Scenario: A single unhealthy record
      Given the zone "example.com" with the record sets:
        | name | routing    | id   | health check |
        | www  | multivalue | only | hc-only      |
      And every health check is unhealthy
      When a client asks for A "www"
      Then the answer is only

    Scenario: It ends with the first record that recovers
      Given the zone "example.com" with the record sets:
        | name | routing  | id | health check |
        | www  | weight 9 | a  | hc-a         |
        | www  | weight 1 | b  | hc-b         |
      And every health check is unhealthy
      When the health check "hc-b" is healthy
      And many clients ask for A "www"
      Then the answer is b

  @R53-11
  Rule: A and AAAA at one name are two groups, each with its own health and last resort
    How Amazon Route 53 chooses records when health checking is configured

    Background:
      Given the zone "example.com" with the record sets:
        | name | type | routing            | id        | health check | values      |
        | www  | A    | failover primary   | primary   | hc-v4        | 192.0.2.1   |
        | www  | A    | failover secondary | secondary |              | 192.0.2.2   |
        | www  | AAAA | failover primary   | primary   | hc-v6        | 2001:db8::1 |
        | www  | AAAA | failover secondary | secondary | hc-v6-s      | 2001:db8::2 |

    Scenario: IPv4 fails, IPv6 stays
      Given the health check "hc-v4" is unhealthy
      When a client asks for A "www"
      Then the answer is 192.0.2.2
      When a client asks for AAAA "www"
      Then the answer is 2001:db8::1

    Scenario: IPv6 has nothing healthy left, IPv4 has
      Given the health checks are:
        | health check | status    |
        | hc-v6        | unhealthy |
        | hc-v6-s      | unhealthy |
      When a client asks for AAAA "www"
      Then the answer is 2001:db8::1
      And the answer is the last resort
      When a client asks for A "www"
      Then the answer is 192.0.2.1
