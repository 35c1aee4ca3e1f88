@route53 @geoproximity
Feature: Geoproximity routing
  The nearest resource wins, after its bias has stretched or shrunk the way to it.

  # The client stands at São Paulo, -23.55,-46.63; a degree of latitude is 111.2 km.

  @R53-63
  Rule: A bias shrinks or stretches the distance, and the smallest one wins
    Geoproximity routing

    Scenario: Without a bias the nearest wins
      Given the zone "example.com" with the record sets:
        | name | routing                    | id        |
        | www  | geoproximity -22.2,-46.63  | at-150-km |
        | www  | geoproximity -24.45,-46.63 | at-100-km |
      When many clients in sa-east-1 ask for A "www"
      Then the answer is at-100-km

    Scenario Outline: The farther one has a bias of <bias>
      Given the zone "example.com" with the record sets:
        | name | routing                               | id        |
        | www  | geoproximity -22.2,-46.63 bias <bias> | at-150-km |
        | www  | geoproximity -24.45,-46.63            | at-100-km |
      When many clients in sa-east-1 ask for A "www"
      Then the answer is <answer>

      Examples:
        | bias | answer    |
        | 50   | at-150-km |
        | 34   | at-150-km |
        | 33   | at-100-km |
        | 0    | at-100-km |
        | -50  | at-100-km |

    Scenario Outline: The nearer one has a bias of <bias>
      Given the zone "example.com" with the record sets:
        | name | routing                                | id        |
        | www  | geoproximity -22.2,-46.63              | at-150-km |
        | www  | geoproximity -24.45,-46.63 bias <bias> | at-100-km |
      When many clients in sa-east-1 ask for A "www"
      Then the answer is <answer>

      Examples:
        | bias | answer    |
        | -33  | at-100-km |
        | -34  | at-150-km |
        | -99  | at-150-km |
        | 99   | at-100-km |

    Scenario Outline: Regions as origins, asked from <place>
      Given the zone "example.com" with the record sets:
        | name | routing                   | id        |
        | www  | geoproximity sa-east-1    | sao-paulo |
        | www  | geoproximity us-east-1    | virginia  |
        | www  | geoproximity eu-central-1 | frankfurt |
      When many clients in <place> ask for A "www"
      Then the answer is <answer>

      Examples:
        | place     | answer    |
        | Argentina | sao-paulo |
        | Poland    | frankfurt |
        | US-NY     | virginia  |

    Scenario: A Local Zone group stands where its Region does
      Given the zone "example.com" with the record sets:
        | name | routing                      | id     |
        | www  | geoproximity us-east-1-bos-1 | boston |
        | www  | geoproximity us-west-2       | oregon |
      When many clients in US-NY ask for A "www"
      Then the answer is boston

  @R53-67
  Rule: An unhealthy nearest record gives way to the next nearest by biased distance
    How Amazon Route 53 chooses records when health checking is configured
    How health checks work in simple Amazon Route 53 configurations

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing                         | id        | health check |
        | www  | geoproximity sa-east-1          | sao-paulo | hc-sao-paulo |
        | www  | geoproximity us-east-1 bias -50 | virginia  | hc-virginia  |
        | www  | geoproximity us-west-2          | oregon    | hc-oregon    |

    Scenario: The nearest is unhealthy, and a bias makes the next nearest the farther one
      Given the health check "hc-sao-paulo" is unhealthy
      When many clients in Brazil ask for A "www"
      Then the answer is oregon

    Scenario: Two are unhealthy
      Given the health checks are:
        | health check | status    |
        | hc-sao-paulo | unhealthy |
        | hc-oregon    | unhealthy |
      When many clients in Brazil ask for A "www"
      Then the answer is virginia

    Scenario: All are unhealthy
      Given every health check is unhealthy
      When many clients in Brazil ask for A "www"
      Then the answer is sao-paulo
      And the answer is the last resort
