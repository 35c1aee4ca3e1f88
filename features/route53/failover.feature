@route53
Feature: Failover routing

  Rule: R53-24 The secondary is answered while the primary is unhealthy
    Source: How Amazon Route 53 chooses records when health checking is configured

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check |
        | www  | failover primary   | primary   | hc-p         |
        | www  | failover secondary | secondary | hc-s         |

    @R53-24
    Scenario: The primary is unhealthy
      Given the health check "hc-p" is unhealthy
      When a client in Brazil asks for A "www"
      Then the answer is secondary
      And the TTL is 60 s
      And secondary is never answered

    @R53-25
    Scenario: Both are unhealthy
      Given every health check is unhealthy
      When many clients ask for A "www.example.com."
      Then the answer is primary
      And the answer is the last resort

    Scenario Outline: Places
      When a client in <place> asks for A "www"
      Then the answer is primary
      Examples:
        | place  |
        | Brasil |
        | US-CA  |
        | sa-east-1 |

    Scenario: bad
      When a client from Brazil asks for A "www"
      Then the answer is primary

  @R53-37
  Rule: shares
    Scenario: weights
      Given the zone "example.com" with the record sets:
        | name | routing   | id |
        | www  | weight 10 | a  |
        | www  | weight 20 | b  |
        | www  | weight 20 | c  |
      When many clients in Brazil ask for A "www"
      Then the answers are shared:
        | answer | share |
        | a | 10 |
        | b | 20 |
        | c | 20 |
      And the answers are shared:
        | answer | share |
        | a | 1/3 |
        | b | 1/3 |
        | c | 1/3 |
