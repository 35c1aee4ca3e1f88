@route53 @multivalue
Feature: Multivalue answers
  A multivalue answer holds the values of the healthy records, eight at most.

  @R53-74
  Rule: A multivalue answer holds all healthy records, eight at most
    Multivalue answer routing
    Route 53 API Reference, ResourceRecordSet

    Scenario: Eight records
      Given the zone "example.com" with the record sets:
        | name | routing    | id | values    |
        | www  | multivalue | 1  | 192.0.2.1 |
        | www  | multivalue | 2  | 192.0.2.2 |
        | www  | multivalue | 3  | 192.0.2.3 |
        | www  | multivalue | 4  | 192.0.2.4 |
        | www  | multivalue | 5  | 192.0.2.5 |
        | www  | multivalue | 6  | 192.0.2.6 |
        | www  | multivalue | 7  | 192.0.2.7 |
        | www  | multivalue | 8  | 192.0.2.8 |
      When many clients ask for A "www"
      Then the answer is 192.0.2.1, 192.0.2.2, 192.0.2.3, 192.0.2.4, 192.0.2.5, 192.0.2.6, 192.0.2.7, 192.0.2.8

    Scenario: Ten records
      Given the zone "example.com" with the record sets:
        | name | routing    | id | values     |
        | www  | multivalue | 1  | 192.0.2.1  |
        | www  | multivalue | 2  | 192.0.2.2  |
        | www  | multivalue | 3  | 192.0.2.3  |
        | www  | multivalue | 4  | 192.0.2.4  |
        | www  | multivalue | 5  | 192.0.2.5  |
        | www  | multivalue | 6  | 192.0.2.6  |
        | www  | multivalue | 7  | 192.0.2.7  |
        | www  | multivalue | 8  | 192.0.2.8  |
        | www  | multivalue | 9  | 192.0.2.9  |
        | www  | multivalue | 10 | 192.0.2.10 |
      When many clients ask for A "www"
      Then 8 of the values are answered
      And the answers differ

    Scenario: Two records
      Given the zone "example.com" with the record sets:
        | name | routing    | id | values    |
        | www  | multivalue | a  | 192.0.2.1 |
        | www  | multivalue | b  | 192.0.2.2 |
      When many clients ask for A "www"
      Then the answer is a, b

  @R53-75
  Rule: An unhealthy multivalue record is left out
    Multivalue answer routing

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing    | id | health check |
        | www  | multivalue | a  | hc-a         |
        | www  | multivalue | b  | hc-b         |
        | www  | multivalue | c  | hc-c         |

    Scenario: One is unhealthy
      Given the health check "hc-b" is unhealthy
      When many clients ask for A "www"
      Then the answer is a, c

    Scenario: Only one is healthy
      Given the health checks are:
        | health check | status    |
        | hc-a         | unhealthy |
        | hc-b         | unhealthy |
      When many clients ask for A "www"
      Then the answer is c

    Scenario: With an unhealthy one among nine, all eight others are answered
      Given the zone "example.com" with the record sets:
        | name | routing    | id | health check | values    |
        | www  | multivalue | 1  | hc-1         | 192.0.2.1 |
        | www  | multivalue | 2  | hc-2         | 192.0.2.2 |
        | www  | multivalue | 3  | hc-3         | 192.0.2.3 |
        | www  | multivalue | 4  | hc-4         | 192.0.2.4 |
        | www  | multivalue | 5  | hc-5         | 192.0.2.5 |
        | www  | multivalue | 6  | hc-6         | 192.0.2.6 |
        | www  | multivalue | 7  | hc-7         | 192.0.2.7 |
        | www  | multivalue | 8  | hc-8         | 192.0.2.8 |
        | www  | multivalue | 9  | hc-9         | 192.0.2.9 |
      And the health check "hc-5" is unhealthy
      When many clients ask for A "www"
      Then 8 of the values are answered
      And 192.0.2.5 is never answered

  @R53-76
  Rule: An unchecked multivalue record always counts as healthy
    Multivalue answer routing

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing    | id | health check |
        | www  | multivalue | a  | hc-a         |
        | www  | multivalue | b  |              |

    Scenario: The other is healthy
      When many clients ask for A "www"
      Then the answer is a, b

    Scenario: The other is unhealthy
      Given the health check "hc-a" is unhealthy
      When many clients ask for A "www"
      Then the answer is b

  @R53-77
  Rule: When all multivalue records are unhealthy, up to eight of them are answered
    Multivalue answer routing

    Scenario: Three unhealthy records
      Given the zone "example.com" with the record sets:
        | name | routing    | id | health check |
        | www  | multivalue | a  | hc-a         |
        | www  | multivalue | b  | hc-b         |
        | www  | multivalue | c  | hc-c         |
      And every health check is unhealthy
      When many clients ask for A "www"
      Then the answer is a, b, c
      And the answer is the last resort

    Scenario: Nine unhealthy records
      Given the zone "example.com" with the record sets:
        | name | routing    | id | health check | values    |
        | www  | multivalue | 1  | hc-1         | 192.0.2.1 |
        | www  | multivalue | 2  | hc-2         | 192.0.2.2 |
        | www  | multivalue | 3  | hc-3         | 192.0.2.3 |
        | www  | multivalue | 4  | hc-4         | 192.0.2.4 |
        | www  | multivalue | 5  | hc-5         | 192.0.2.5 |
        | www  | multivalue | 6  | hc-6         | 192.0.2.6 |
        | www  | multivalue | 7  | hc-7         | 192.0.2.7 |
        | www  | multivalue | 8  | hc-8         | 192.0.2.8 |
        | www  | multivalue | 9  | hc-9         | 192.0.2.9 |
      And every health check is unhealthy
      When many clients ask for A "www"
      Then 8 of the values are answered
      And the answers differ
