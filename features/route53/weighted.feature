@route53 @weighted
Feature: Weighted routing
  Each record of a weighted group is answered in proportion to its weight among those that are healthy. Weight 0 has a
  meaning of its own.

  @R53-37
  Rule: Each weighted record is answered in proportion to its weight
    Weighted routing
    Values specific for weighted records

    Scenario Outline: Weights <a>, <b> and <c>
      Given the zone "example.com" with the record sets:
        | name | routing    | id |
        | www  | weight <a> | a  |
        | www  | weight <b> | b  |
        | www  | weight <c> | c  |
      When many clients ask for A "www"
      Then the answers are shared:
        | answer | share |
        | a      | <a>   |
        | b      | <b>   |
        | c      | <c>   |

      Examples:
        | a   | b   | c  |
        | 10  | 20  | 20 |
        | 1   | 1   | 1  |
        | 255 | 128 | 64 |
        | 3   | 5   | 2  |

    Scenario: A single record needs no other
      Given the zone "example.com" with the record sets:
        | name | routing  | id |
        | www  | weight 7 | a  |
      When many clients ask for A "www"
      Then the answer is a

  @R53-39
  Rule: The weight of an unhealthy record leaves the sum
    How health checks work in simple Amazon Route 53 configurations

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing   | id | health check |
        | www  | weight 10 | a  | hc-a         |
        | www  | weight 20 | b  | hc-b         |
        | www  | weight 20 | c  | hc-c         |

    Scenario: The third is unhealthy
      Given the health check "hc-c" is unhealthy
      When many clients ask for A "www"
      Then the answers are shared:
        | answer | share |
        | a      | 10/30 |
        | b      | 20/30 |

    Scenario: Only one is left
      Given the health checks are:
        | health check | status    |
        | hc-a         | unhealthy |
        | hc-b         | unhealthy |
      When many clients ask for A "www"
      Then the answer is c

  @R53-40
  Rule: A record of weight 0 is not answered while a record above 0 is healthy
    How Amazon Route 53 chooses records when health checking is configured
    Route 53 API Reference, ResourceRecordSet

    Scenario: A record of weight 0 beside one above 0
      Given the zone "example.com" with the record sets:
        | name | routing  | id  | health check |
        | www  | weight 1 | on  | hc-on        |
        | www  | weight 0 | off | hc-off       |
      When many clients ask for A "www"
      Then the answer is on
      And off is never answered

    Scenario: An unchecked record of weight 0 beside a healthy one above 0
      Given the zone "example.com" with the record sets:
        | name | routing  | id  | health check |
        | www  | weight 1 | a   | hc-a         |
        | www  | weight 2 | b   | hc-b         |
        | www  | weight 0 | off |              |
      And the health check "hc-b" is unhealthy
      When many clients ask for A "www"
      Then the answer is a

  @R53-41
  Rule: Records that all have weight 0 are answered in equal shares
    Values specific for weighted records

    Scenario: Three records of weight 0
      Given the zone "example.com" with the record sets:
        | name | routing  | id |
        | www  | weight 0 | a  |
        | www  | weight 0 | b  |
        | www  | weight 0 | c  |
      When many clients ask for A "www"
      Then the answers are shared:
        | answer | share |
        | a      | 1/3   |
        | b      | 1/3   |
        | c      | 1/3   |

    Scenario: One of three records of weight 0 is unhealthy
      Given the zone "example.com" with the record sets:
        | name | routing  | id | health check |
        | www  | weight 0 | a  | hc-a         |
        | www  | weight 0 | b  | hc-b         |
        | www  | weight 0 | c  | hc-c         |
      And the health check "hc-c" is unhealthy
      When many clients ask for A "www"
      Then the answers are shared:
        | answer | share |
        | a      | 1/2   |
        | b      | 1/2   |

  @R53-42
  Rule: A usable record of weight 0 is answered when none above 0 is healthy
    How Amazon Route 53 chooses records when health checking is configured
    Active-active and active-passive failover
    Weighted routing

    Scenario Outline: The zero-weight table with a health check on every record: <r1>, <r2>, <r3>
      Given the zone "example.com" with the record sets:
        | name | routing  | id | health check |
        | www  | weight 1 | r1 | hc-1         |
        | www  | weight 1 | r2 | hc-2         |
        | www  | weight 0 | r3 | hc-3         |
      And the health checks are:
        | health check | status |
        | hc-1         | <r1>   |
        | hc-2         | <r2>   |
        | hc-3         | <r3>   |
      When many clients ask for A "www"
      Then the answer is one of <answers>
      And <others> are never answered

      Examples:
        | r1        | r2        | r3        | answers | others |
        | unhealthy | unhealthy | healthy   | r3      | r1, r2 |
        | unhealthy | unhealthy | unhealthy | r1, r2  | r3     |
        | unhealthy | healthy   | unhealthy | r2      | r1, r3 |
        | healthy   | healthy   | unhealthy | r1, r2  | r3     |
        | healthy   | healthy   | healthy   | r1, r2  | r3     |

    Scenario Outline: The zero-weight table without a health check on the record of weight 0: <r1>, <r2>
      Given the zone "example.com" with the record sets:
        | name | routing  | id | health check |
        | www  | weight 1 | r1 | hc-1         |
        | www  | weight 1 | r2 | hc-2         |
        | www  | weight 0 | r3 |              |
      And the health checks are:
        | health check | status |
        | hc-1         | <r1>   |
        | hc-2         | <r2>   |
      When many clients ask for A "www"
      Then the answer is one of <answers>
      And <others> are never answered

      Examples:
        | r1        | r2        | answers | others |
        | healthy   | healthy   | r1, r2  | r3     |
        | unhealthy | unhealthy | r3      | r1, r2 |
        | unhealthy | healthy   | r2      | r1, r3 |

  @R53-43
  Rule: Several usable records of weight 0 share equally
    Values specific for weighted records

    Scenario: Two records of weight 0 stand in
      Given the zone "example.com" with the record sets:
        | name | routing  | id   | health check |
        | www  | weight 9 | main | hc-main      |
        | www  | weight 0 | a    | hc-a         |
        | www  | weight 0 | b    | hc-b         |
        | www  | weight 0 | c    | hc-c         |
      And the health checks are:
        | health check | status    |
        | hc-main      | unhealthy |
        | hc-c         | unhealthy |
      When many clients ask for A "www"
      Then the answers are shared:
        | answer | share |
        | a      | 1/2   |
        | b      | 1/2   |

  @R53-44
  Rule: The last resort of a weighted group leaves weight 0 out
    Weighted routing

    Scenario: Everything is unhealthy, and one record has weight 0
      Given the zone "example.com" with the record sets:
        | name | routing  | id    | health check |
        | www  | weight 1 | a     | hc-a         |
        | www  | weight 4 | b     | hc-b         |
        | www  | weight 0 | spare | hc-spare     |
      And every health check is unhealthy
      When many clients ask for A "www"
      Then the answers are shared:
        | answer | share |
        | a      | 1/5   |
        | b      | 4/5   |
      And spare is never answered
      And the answer is the last resort

    Scenario: Everything is unhealthy, and every record has weight 0
      Given the zone "example.com" with the record sets:
        | name | routing  | id | health check |
        | www  | weight 0 | a  | hc-a         |
        | www  | weight 0 | b  | hc-b         |
      And every health check is unhealthy
      When many clients ask for A "www"
      Then the answers are shared:
        | answer | share |
        | a      | 1/2   |
        | b      | 1/2   |

  @R53-45
  Rule: The last resort of a weighted group keeps to the weights
    How Amazon Route 53 chooses records when health checking is configured

    Scenario: Everything is unhealthy
      Given the zone "example.com" with the record sets:
        | name | routing   | id | health check |
        | www  | weight 10 | a  | hc-a         |
        | www  | weight 20 | b  | hc-b         |
        | www  | weight 20 | c  | hc-c         |
      And every health check is unhealthy
      When many clients ask for A "www"
      Then the answers are shared:
        | answer | share |
        | a      | 10    |
        | b      | 20    |
        | c      | 20    |
      And the answer is the last resort

  @R53-47
  Rule: A weighted record answers with all its values
    Values specific for weighted records
    Route 53 API Reference, ResourceRecordSet

    Scenario: A weighted record has two addresses
      Given the zone "example.com" with the record sets:
        | name | routing  | id | health check | values               |
        | www  | weight 1 | a  | hc-a         | 192.0.2.1, 192.0.2.2 |
        | www  | weight 1 | b  | hc-b         | 198.51.100.1         |
      And the health check "hc-b" is unhealthy
      When many clients ask for A "www"
      Then the answer is 192.0.2.1, 192.0.2.2

    Scenario: Weights count by record, not by address
      Given the zone "example.com" with the record sets:
        | name | routing  | id | values                          |
        | www  | weight 1 | a  | 192.0.2.1, 192.0.2.2, 192.0.2.3 |
        | www  | weight 1 | b  | 198.51.100.1                    |
      When many clients ask for A "www"
      Then the answers are shared:
        | answer | share |
        | a      | 1/2   |
        | b      | 1/2   |

  @R53-8
  Rule: A weight-0 record that is the only healthy one keeps its group healthy
    How Amazon Route 53 chooses records when health checking is configured
    awslabs/route53-infima, README and code

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check | alias to | evaluate target health |
        | www  | failover primary   | p         |              | home     | yes                    |
        | www  | failover secondary | secondary | hc-s         |          |                        |
        | home | weight 1           | main      | hc-main      |          |                        |
        | home | weight 0           | spare     | hc-spare     |          |                        |

    Scenario: The record of weight 0 is the only healthy one behind an alias
      Given the health check "hc-main" is unhealthy
      When many clients ask for A "www"
      Then the answer is spare

    Scenario: The switch says that weight 0 does not keep a group healthy
      Given the switch "zero weight keeps its group healthy" is off
      And the health check "hc-main" is unhealthy
      When many clients ask for A "www"
      Then the answer is secondary

    Scenario: Nothing behind the alias is healthy
      Given the health checks are:
        | health check | status    |
        | hc-main      | unhealthy |
        | hc-spare     | unhealthy |
      When many clients ask for A "www"
      Then the answer is secondary
