@route53 @latency
Feature: Latency-based routing
  The Region that answers the asker fastest wins, which need not be the nearest; health can only move an answer on to
  the next best.

  @R53-48
  Rule: The Region with the lowest latency to the asker is answered
    Latency-based routing
    Values specific for latency records

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing           | id        |
        | www  | latency us-east-1 | virginia  |
        | www  | latency eu-west-1 | ireland   |
        | www  | latency sa-east-1 | sao-paulo |

    Scenario Outline: Asked from <place>
      When many clients in <place> ask for A "www"
      Then the answer is <answer>

      Examples:
        | place     | answer    |
        | Brazil    | sao-paulo |
        | Ireland   | ireland   |
        | US-VA     | virginia  |
        | us-east-1 | virginia  |
        | sa-east-1 | sao-paulo |

    Scenario: The lowest latency wins over the shortest way
      Given the latency from Brazil:
        | region    | latency |
        | sa-east-1 | 95 ms   |
        | us-east-1 | 90 ms   |
        | eu-west-1 | 180 ms  |
      When a client in Brazil asks for A "www"
      Then the answer is virginia

    Scenario: A faster Region that has no record does not matter
      Given the latency from Portugal:
        | region     | latency |
        | eu-south-2 | 9 ms    |
        | eu-west-1  | 30 ms   |
        | us-east-1  | 29 ms   |
        | sa-east-1  | 120 ms  |
      When a client in Portugal asks for A "www"
      Then the answer is virginia

  @R53-49
  Rule: An unhealthy best Region gives way to the next best that is healthy
    How health checks work in complex Amazon Route 53 configurations
    Latency-based routing in private hosted zones

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing           | id        | health check |
        | www  | latency us-east-1 | virginia  | hc-virginia  |
        | www  | latency eu-west-1 | ireland   | hc-ireland   |
        | www  | latency sa-east-1 | sao-paulo | hc-sao-paulo |
      And the latency from Brazil:
        | region    | latency |
        | sa-east-1 | 10 ms   |
        | us-east-1 | 110 ms  |
        | eu-west-1 | 180 ms  |

    Scenario Outline: São Paulo is unhealthy, Virginia is <virginia>
      Given the health checks are:
        | health check | status     |
        | hc-sao-paulo | unhealthy  |
        | hc-virginia  | <virginia> |
      When many clients in Brazil ask for A "www"
      Then the answer is <answer>

      Examples:
        | virginia  | answer   |
        | healthy   | virginia |
        | unhealthy | ireland  |

    Scenario: Another Region's failure does not matter
      Given the health check "hc-virginia" is unhealthy
      When many clients in Brazil ask for A "www"
      Then the answer is sao-paulo

  @R53-50
  Rule: The best Region is answered when all are unhealthy
    How Amazon Route 53 chooses records when health checking is configured
    How Amazon Route 53 averts failover problems

    Scenario: All Regions are unhealthy
      Given the zone "example.com" with the record sets:
        | name | routing           | id        | health check |
        | www  | latency us-east-1 | virginia  | hc-virginia  |
        | www  | latency sa-east-1 | sao-paulo | hc-sao-paulo |
      And every health check is unhealthy
      When many clients in Brazil ask for A "www"
      Then the answer is sao-paulo
      And the answer is the last resort
      When many clients in Canada ask for A "www"
      Then the answer is virginia

  @R53-51
  Rule: From within China the record of cn-north-1 is answered, whatever the latency
    Values specific for latency records

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check |
        | www  | latency cn-north-1 | beijing   | hc-beijing   |
        | www  | latency ap-east-1  | hong-kong | hc-hong-kong |
      And the latency from China:
        | region     | latency |
        | cn-north-1 | 200 ms  |
        | ap-east-1  | 20 ms   |
      And the latency from Japan:
        | region     | latency |
        | cn-north-1 | 200 ms  |
        | ap-east-1  | 20 ms   |

    Scenario: Asked from within China
      When many clients in China ask for A "www"
      Then the answer is beijing

    Scenario: Asked from outside
      When many clients in Japan ask for A "www"
      Then the answer is hong-kong
