@route53 @private-zone
Feature: Private hosted zones
  Only the VPCs of a private zone ask it, and their Region is all that it knows of them.

  @R53-83
  Rule: In a private zone the Region of the asking VPC locates the client
    How Amazon Route 53 uses EDNS0 to estimate the location of a user
    Geolocation routing in private hosted zones
    Latency-based routing in private hosted zones

    Background:
      Given the private zone "corp.example" with the record sets:
        | name | routing             | id      |
        | db   | geolocation BR      | brazil  |
        | db   | geolocation DE      | germany |
        | db   | geolocation default | others  |
      And the network 203.0.113.0/24 is in Germany

    Scenario: A client subnet is told
      When a resolver in sa-east-1 asks for A "db" on behalf of 203.0.113.0/24
      Then the answer is brazil

    Scenario: In a public zone it would matter
      Given the zone "example.com" with the record sets:
        | name | routing        | id      |
        | db   | geolocation BR | brazil  |
        | db   | geolocation DE | germany |
      When a resolver in sa-east-1 asks for A "db" on behalf of 203.0.113.0/24
      Then the answer is germany

  @R53-207
  Rule: Records of private zones may have health checks under all policies but simple
    Considerations when working with a private hosted zone

    Scenario Outline: A health check on a record with <routing>
      Given the private zone "corp.example" with the record sets:
        | name | routing   | id    | health check |
        | db   | <routing> | main  | hc-main      |
        | db   | <other>   | spare |              |
      And the health check "hc-main" is unhealthy
      When many clients in a VPC in sa-east-1 ask for A "db"
      Then the answer is spare

      Examples:
        | routing                | other                  |
        | failover primary       | failover secondary     |
        | weight 1               | weight 1               |
        | multivalue             | multivalue             |
        | latency sa-east-1      | latency us-east-1      |
        | geolocation BR         | geolocation default    |
        | geoproximity sa-east-1 | geoproximity us-east-1 |

  @R53-211
  Rule: In a private zone a VPC is located by its Region, and an unhealthy location gives way to the default
    Geolocation routing in private hosted zones

    Background:
      Given the private zone "corp.example" with the record sets:
        | name | routing             | id       | health check |
        | db   | geolocation BR      | brazil   | hc-brazil    |
        | db   | geolocation EU      | europe   | hc-europe    |
        | db   | geolocation US-VA   | virginia | hc-virginia  |
        | db   | geolocation default | others   | hc-others    |

    Scenario Outline: A VPC in <region>
      When a client in a VPC in <region> asks for A "db"
      Then the answer is <answer>

      Examples:
        | region         | answer   |
        | sa-east-1      | brazil   |
        | eu-west-1      | europe   |
        | eu-central-1   | europe   |
        | us-east-1      | virginia |
        | us-west-2      | others   |
        | ap-northeast-1 | others   |

    Scenario: The VPC's location is unhealthy
      Given the health check "hc-brazil" is unhealthy
      When many clients in a VPC in sa-east-1 ask for A "db"
      Then the answer is others

    Scenario: So is the default
      Given the health checks are:
        | health check | status    |
        | hc-brazil    | unhealthy |
        | hc-others    | unhealthy |
      When many clients in a VPC in sa-east-1 ask for A "db"
      Then the answer is brazil

  @R53-212
  Rule: In a private zone latency is that between Regions
    Latency-based routing in private hosted zones

    Background:
      Given the private zone "corp.example" with the record sets:
        | name | routing              | id        | health check |
        | db   | latency sa-east-1    | sao-paulo | hc-sao-paulo |
        | db   | latency us-east-1    | virginia  | hc-virginia  |
        | db   | latency eu-central-1 | frankfurt | hc-frankfurt |

    Scenario Outline: A VPC in <region>
      When a client in a VPC in <region> asks for A "db"
      Then the answer is <answer>

      Examples:
        | region    | answer    |
        | sa-east-1 | sao-paulo |
        | us-east-1 | virginia  |
        | us-east-2 | virginia  |
        | eu-west-3 | frankfurt |

    Scenario: The own Region is unhealthy
      Given the health check "hc-sao-paulo" is unhealthy
      When a client in a VPC in sa-east-1 asks for A "db"
      Then the answer is virginia

  @R53-213
  Rule: In a private zone geoproximity is that of the VPC's Region
    Geoproximity routing in private hosted zones

    Scenario Outline: A VPC in Ireland, Frankfurt with a bias of <bias>
      Given the private zone "corp.example" with the record sets:
        | name | routing                               | id        |
        | db   | geoproximity us-east-1                | virginia  |
        | db   | geoproximity eu-central-1 bias <bias> | frankfurt |
      When a client in a VPC in eu-west-1 asks for A "db"
      Then the answer is <answer>

      Examples:
        | bias | answer    |
        | 0    | frankfurt |
        | -99  | virginia  |

  @R53-215
  Rule: A private zone that matches is the only one asked
    Considerations when working with a private hosted zone

    Background:
      Given the private zone "corp.example" with the record sets:
        | name |
        | db   |

    Scenario: A name that it does not have
      When a client in a VPC in sa-east-1 asks for A "www"
      Then the response is NXDOMAIN

    Scenario: A name that it has
      When a client in a VPC in sa-east-1 asks for A "db"
      Then 1 of the values is answered
