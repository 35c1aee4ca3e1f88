@route53 @failover
Feature: Failover routing
  A failover group has a primary and a secondary. Health decides between them, and when neither is healthy the
  primary is answered all the same.

  @R53-22
  Rule: A healthy primary is answered, and only it
    How Amazon Route 53 chooses records when health checking is configured

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check |
        | www  | failover primary   | primary   | hc-p         |
        | www  | failover secondary | secondary | hc-s         |

    Scenario: Both are healthy
      When many clients ask for A "www"
      Then the answer is primary
      And secondary is never answered

  @R53-23
  Rule: A healthy primary is answered though the secondary is unhealthy
    Route 53 API Reference, ResourceRecordSet

    Scenario: The secondary is unhealthy
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check |
        | www  | failover primary   | primary   | hc-p         |
        | www  | failover secondary | secondary | hc-s         |
      And the health check "hc-s" is unhealthy
      When many clients ask for A "www"
      Then the answer is primary

  @R53-24
  Rule: A healthy secondary is answered while the primary is unhealthy
    How Amazon Route 53 chooses records when health checking is configured

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check |
        | www  | failover primary   | primary   | hc-p         |
        | www  | failover secondary | secondary | hc-s         |

    Scenario: The primary is unhealthy
      Given the health check "hc-p" is unhealthy
      When many clients ask for A "www"
      Then the answer is secondary

    Scenario: The primary comes back
      Given the health check "hc-p" is unhealthy
      When a client asks for A "www"
      Then the answer is secondary
      When the health check "hc-p" is healthy
      And a client asks for A "www"
      Then the answer is primary

    Scenario Outline: The truth table of a pair with values, row <row>
      Given the health checks are:
        | health check | status      |
        | hc-p         | <primary>   |
        | hc-s         | <secondary> |
      When many clients ask for A "www"
      Then the answer is <answer>

      Examples:
        | row | primary   | secondary | answer    |
        | 1a  | healthy   | healthy   | primary   |
        | 1b  | healthy   | unhealthy | primary   |
        | 2   | unhealthy | healthy   | secondary |
        | 3   | unhealthy | unhealthy | primary   |

  @R53-25
  Rule: The primary is answered when both are unhealthy
    How Amazon Route 53 chooses records when health checking is configured

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check |
        | www  | failover primary   | primary   | hc-p         |
        | www  | failover secondary | secondary | hc-s         |

    Scenario: Both are unhealthy
      Given every health check is unhealthy
      When many clients ask for A "www"
      Then the answer is primary
      And the answer is the last resort
      And secondary is never answered

    Scenario: The secondary fails while the primary is down
      Given the health check "hc-p" is unhealthy
      When a client asks for A "www"
      Then the answer is secondary
      When the health check "hc-s" is unhealthy
      And a client asks for A "www"
      Then the answer is primary

  @R53-26
  Rule: An unchecked secondary is answered whenever the primary is unhealthy
    How Amazon Route 53 chooses records when health checking is configured
    Route 53 API Reference, ResourceRecordSet

    Scenario Outline: The truth table of a pair whose secondary is unchecked, row <row>
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check |
        | www  | failover primary   | primary   | hc-p         |
        | www  | failover secondary | secondary |              |
      And the health check "hc-p" is <primary>
      When many clients ask for A "www"
      Then the answer is <answer>

      Examples:
        | row | primary   | answer    |
        | 1c  | healthy   | primary   |
        | 2b  | unhealthy | secondary |

    Scenario: The secondary is an alias that does not evaluate a target that is down
      Given the zone "example.com" with the record sets:
        | name  | routing            | id        | health check | alias to | evaluate target health |
        | www   | failover primary   | primary   | hc-p         |          |                        |
        | www   | failover secondary | secondary |              | spare    | no                     |
        | spare | weight 1           | spare-1   | hc-1         |          |                        |
      And every health check is unhealthy
      When many clients ask for A "www"
      Then the answer is spare-1

  @R53-27
  Rule: An unchecked secondary keeps its group from ever being unhealthy
    How Amazon Route 53 chooses records when health checking is configured
    Active-active and active-passive failover

    Scenario: An inner pair whose secondary is unchecked keeps the outer pair from moving on
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check | alias to | evaluate target health |
        | www  | failover primary   | home      |              | home     | yes                    |
        | www  | failover secondary | away      | hc-away      |          |                        |
        | home | failover primary   | primary   | hc-p         |          |                        |
        | home | failover secondary | secondary |              |          |                        |
      And the health check "hc-p" is unhealthy
      When many clients ask for A "www"
      Then the answer is secondary
      And away is never answered

    Scenario: With a health check on the inner secondary the outer pair moves on
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check | alias to | evaluate target health |
        | www  | failover primary   | home      |              | home     | yes                    |
        | www  | failover secondary | away      | hc-away      |          |                        |
        | home | failover primary   | primary   | hc-p         |          |                        |
        | home | failover secondary | secondary | hc-s         |          |                        |
      And the health checks are:
        | health check | status    |
        | hc-p         | unhealthy |
        | hc-s         | unhealthy |
      When many clients ask for A "www"
      Then the answer is away

  @R53-31
  Rule: A primary without a secondary is answered though it is unhealthy
    How Amazon Route 53 chooses records when health checking is configured
    How Amazon Route 53 averts failover problems

    Scenario: An unhealthy primary stands alone
      Given the zone "example.com" with the record sets:
        | name | routing          | id      | health check |
        | www  | failover primary | primary | hc-p         |
      And the health check "hc-p" is unhealthy
      When a client asks for A "www"
      Then the answer is primary
      And the answer is the last resort

    Scenario: A healthy primary stands alone
      Given the zone "example.com" with the record sets:
        | name | routing          | id      | health check |
        | www  | failover primary | primary | hc-p         |
      When a client asks for A "www"
      Then the answer is primary

  @R53-32
  Rule: A secondary without a primary is answered
    How Amazon Route 53 chooses records when health checking is configured
    GitHub issue, foremast/foremast#121

    Scenario Outline: A secondary that is <status> stands alone
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check |
        | www  | failover secondary | secondary | hc-s         |
      And the health check "hc-s" is <status>
      When a client asks for A "www"
      Then the answer is secondary

      Examples:
        | status    |
        | healthy   |
        | unhealthy |

  @R53-33
  Rule: A failover pair may be made of an alias and a record with values
    Values specific for failover alias records

    Scenario Outline: An alias primary beside a secondary with values while the target is <status>
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check | alias to                                | evaluate target health |
        | www  | failover primary   | front     |              | balancer-1.us-east-1.elb.amazonaws.com. | yes                    |
        | www  | failover secondary | secondary |              |                                         |                        |
      And the resource "balancer-1.us-east-1.elb.amazonaws.com." is <status>
      When a client asks for A "www"
      Then the answer is <answer>

      Examples:
        | status    | answer    |
        | healthy   | front     |
        | unhealthy | secondary |

    Scenario Outline: A primary with values that is <status> beside an alias secondary
      Given the zone "example.com" with the record sets:
        | name | routing            | id      | health check | alias to                                | evaluate target health |
        | www  | failover primary   | primary | hc-p         |                                         |                        |
        | www  | failover secondary | spare   |              | balancer-1.us-east-1.elb.amazonaws.com. | yes                    |
      And the health check "hc-p" is <status>
      When a client asks for A "www"
      Then the answer is <answer>

      Examples:
        | status    | answer  |
        | healthy   | primary |
        | unhealthy | spare   |

  @R53-34
  Rule: A failover record answers with all its values
    Values specific for failover records
    GitHub issue, coredns/coredns#4701

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check | values                          |
        | www  | failover primary   | primary   | hc-p         | 192.0.2.1, 192.0.2.2, 192.0.2.3 |
        | www  | failover secondary | secondary |              | 198.51.100.1, 198.51.100.2      |

    Scenario: The primary has three addresses
      When a client asks for A "www"
      Then the answer is 192.0.2.1, 192.0.2.2, 192.0.2.3

    Scenario: The secondary has two
      Given the health check "hc-p" is unhealthy
      When a client asks for A "www"
      Then the answer is 198.51.100.1, 198.51.100.2

  @R53-35
  Rule: A failover pair of aliases follows the health of the two groups behind it
    Active-active and active-passive failover
    How Amazon Route 53 chooses records when health checking is configured

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing            | id | health check | alias to | evaluate target health |
        | www  | failover primary   | p  |              | home     | yes                    |
        | www  | failover secondary | s  |              | away     | yes                    |
        | home | weight 1           | h1 | hc-h1        |          |                        |
        | home | weight 1           | h2 | hc-h2        |          |                        |
        | away | weight 1           | a1 | hc-a1        |          |                        |
        | away | weight 1           | a2 | hc-a2        |          |                        |

    Scenario Outline: The groups behind are <h1>, <h2> and <a1>, <a2>
      Given the health checks are:
        | health check | status |
        | hc-h1        | <h1>   |
        | hc-h2        | <h2>   |
        | hc-a1        | <a1>   |
        | hc-a2        | <a2>   |
      When many clients ask for A "www"
      Then the answer is one of <answers>

      Examples:
        | h1        | h2        | a1        | a2        | answers |
        | healthy   | unhealthy | healthy   | healthy   | h1      |
        | unhealthy | healthy   | healthy   | healthy   | h2      |
        | unhealthy | unhealthy | healthy   | unhealthy | a1      |
        | unhealthy | unhealthy | unhealthy | healthy   | a2      |

    Scenario: Nothing is healthy anywhere
      Given every health check is unhealthy
      When many clients ask for A "www"
      Then the answers are shared:
        | answer | share |
        | h1     | 1/2   |
        | h2     | 1/2   |
      And the answer is the last resort

  @R53-4
  Rule: An alias with a health check that evaluates its target is healthy when both are
    How health checks work in complex Amazon Route 53 configurations
    Values specific for failover alias records

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check | alias to | evaluate target health |
        | www  | failover primary   | p         | hc-p         | home     | yes                    |
        | www  | failover secondary | secondary | hc-s         |          |                        |
        | home | weight 1           | home-1    | hc-1         |          |                        |

    Scenario Outline: The truth table of an alias that evaluates its target and has a health check, row <row>
      Given the health checks are:
        | health check | status      |
        | hc-p         | <check>     |
        | hc-1         | <target>    |
        | hc-s         | <secondary> |
      When many clients ask for A "www"
      Then the answer is <answer>

      Examples:
        | row | check     | target    | secondary | answer    |
        | 4   | healthy   | healthy   | healthy   | home-1    |
        | 4a  | healthy   | healthy   | unhealthy | home-1    |
        | 6   | healthy   | unhealthy | healthy   | secondary |
        | 7   | unhealthy | healthy   | healthy   | secondary |
        | 7a  | unhealthy | unhealthy | healthy   | secondary |
        | 7b  | unhealthy | healthy   | unhealthy | home-1    |

  @R53-7
  Rule: An alias that evaluates its target is healthy while any record of the target group is
    How Amazon Route 53 chooses records when health checking is configured
    Active-active and active-passive failover

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check | alias to | evaluate target health |
        | www  | failover primary   | p         |              | home     | yes                    |
        | www  | failover secondary | secondary | hc-s         |          |                        |
        | home | weight 1           | home-1    | hc-1         |          |                        |
        | home | weight 1           | home-2    | hc-2         |          |                        |

    Scenario Outline: The truth table of an alias that evaluates its target, row <row>
      Given the health checks are:
        | health check | status      |
        | hc-1         | <one>       |
        | hc-2         | <other>     |
        | hc-s         | <secondary> |
      When many clients ask for A "www"
      Then the answer is <answer>

      Examples:
        | row | one       | other     | secondary | answer    |
        | 4b  | healthy   | unhealthy | healthy   | home-1    |
        | 4c  | unhealthy | healthy   | unhealthy | home-2    |
        | 5   | unhealthy | unhealthy | healthy   | secondary |

    Scenario: The branch is used again once one record recovers
      Given the health checks are:
        | health check | status    |
        | hc-1         | unhealthy |
        | hc-2         | unhealthy |
      When a client asks for A "www"
      Then the answer is secondary
      When the health check "hc-2" is healthy
      And a client asks for A "www"
      Then the answer is home-2

    Scenario: An unchecked secondary stands in for a dead target
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check | alias to | evaluate target health |
        | www  | failover primary   | p         |              | home     | yes                    |
        | www  | failover secondary | secondary |              |          |                        |
        | home | weight 1           | home-1    | hc-1         |          |                        |
      And the health check "hc-1" is unhealthy
      When many clients ask for A "www"
      Then the answer is secondary

  @R53-6
  Rule: An alias with a health check that does not evaluate its target is as healthy as the check
    How health checks work in complex Amazon Route 53 configurations

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check | alias to | evaluate target health |
        | www  | failover primary   | p         | hc-p         | home     | no                     |
        | www  | failover secondary | secondary | hc-s         |          |                        |
        | home | weight 1           | home-1    | hc-1         |          |                        |
        | home | weight 3           | home-2    | hc-2         |          |                        |

    Scenario Outline: The truth table of an alias with a health check that does not evaluate its target, row <row>
      Given the health checks are:
        | health check | status      |
        | hc-p         | <check>     |
        | hc-1         | <target>    |
        | hc-2         | unhealthy   |
        | hc-s         | <secondary> |
      When many clients ask for A "www"
      Then the answer is one of <answers>

      Examples:
        | row | check     | target    | secondary | answers        |
        | 8   | healthy   | unhealthy | healthy   | home-1, home-2 |
        | 8a  | healthy   | unhealthy | unhealthy | home-1, home-2 |
        | 9   | unhealthy | healthy   | healthy   | secondary      |
        | 9a  | unhealthy | healthy   | unhealthy | home-1         |

    Scenario: Inside the dead target its own last resort applies
      Given the health checks are:
        | health check | status    |
        | hc-1         | unhealthy |
        | hc-2         | unhealthy |
      When many clients ask for A "www"
      Then the answers are shared:
        | answer | share |
        | home-1 | 1/4   |
        | home-2 | 3/4   |
