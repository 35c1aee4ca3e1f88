@route53 @ip-based
Feature: IP-based routing
  A CIDR collection names networks; the record of the location that holds the asker's address is answered.

  @R53-68
  Rule: The location whose CIDR block holds the asker is answered
    IP-based routing

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing             | id     |
        | www  | cidr offices hq     | hq     |
        | www  | cidr offices branch | branch |
        | www  | cidr offices *      | others |
      And the CIDR collection "offices" is created:
        | location | blocks                         |
        | hq       | 198.51.100.0/24, 2001:db8::/48 |
        | branch   | 203.0.113.0/24                 |

    Scenario Outline: Asked from <address>
      When a client at <address> asks for A "www"
      Then the answer is <answer>

      Examples:
        | address        | answer |
        | 198.51.100.1   | hq     |
        | 198.51.100.255 | hq     |
        | 203.0.113.9    | branch |
        | 2001:db8::7    | hq     |
        | 198.51.101.1   | others |

    Scenario: The client subnet lies in a block
      When a resolver at 192.0.2.53 asks for A "www" on behalf of 203.0.113.0/24
      Then the answer is branch

    Scenario: The client subnet is smaller than the block
      When a resolver at 192.0.2.53 asks for A "www" on behalf of 203.0.113.128/25
      Then the answer is branch

    Scenario: The longest block that holds the client wins
      Given the CIDR collection "offices" is created:
        | location | blocks          |
        | hq       | 198.51.0.0/16   |
        | branch   | 198.51.100.0/24 |
      When a client at 198.51.100.1 asks for A "www"
      Then the answer is branch
      When a client at 198.51.99.1 asks for A "www"
      Then the answer is hq

  @R53-69
  Rule: A block longer than what is known of the asker does not match
    IP-based routing

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing         | id     |
        | www  | cidr offices hq | hq     |
        | www  | cidr offices *  | others |
      And the CIDR collection "offices" is created:
        | location | blocks                           |
        | hq       | 198.51.100.0/24, 2001:db8:1::/48 |

    Scenario Outline: The client subnet is <subnet>
      When a resolver at 192.0.2.53 asks for A "www" on behalf of <subnet>
      Then the answer is <answer>

      Examples:
        | subnet          | answer |
        | 2001:db8::/32   | others |
        | 2001:db8:1::/48 | hq     |
        | 2001:db8:1::/56 | hq     |
        | 198.51.0.0/16   | others |
        | 198.51.100.0/24 | hq     |

  @R53-70
  Rule: The location * answers whoever is in no block, and without it there is no data
    IP-based routing

    Scenario: There is a record for the location *
      Given the zone "example.com" with the record sets:
        | name | routing         | id     |
        | www  | cidr offices hq | hq     |
        | www  | cidr offices *  | others |
      And the CIDR collection "offices" is created:
        | location | blocks          |
        | hq       | 198.51.100.0/24 |
      When a client at 192.0.2.1 asks for A "www"
      Then the answer is others

    Scenario: There is none
      Given the zone "example.com" with the record sets:
        | name | routing         | id |
        | www  | cidr offices hq | hq |
      And the CIDR collection "offices" is created:
        | location | blocks          |
        | hq       | 198.51.100.0/24 |
      When a client at 192.0.2.1 asks for A "www"
      Then the response is NODATA

  @R53-73
  Rule: An unhealthy CIDR location gives way to broader ones, the most specific being the last resort
    Values specific for IP-based alias records

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing           | id     | health check |
        | www  | cidr offices room | room   | hc-room      |
        | www  | cidr offices site | site   | hc-site      |
        | www  | cidr offices *    | others | hc-others    |
      And the CIDR collection "offices" is created:
        | location | blocks          |
        | room     | 198.51.100.0/24 |
        | site     | 198.51.0.0/16   |

    Scenario Outline: Room <room>, site <site>, the others <others>
      Given the health checks are:
        | health check | status   |
        | hc-room      | <room>   |
        | hc-site      | <site>   |
        | hc-others    | <others> |
      When a client at 198.51.100.7 asks for A "www"
      Then the answer is <answer>

      Examples:
        | room      | site      | others    | answer |
        | healthy   | unhealthy | unhealthy | room   |
        | unhealthy | healthy   | healthy   | site   |
        | unhealthy | unhealthy | healthy   | others |
        | unhealthy | unhealthy | unhealthy | room   |

    Scenario: The switch says that there is no way to broader locations
      Given the switch "IP-based falls back to broader locations" is off
      And the health check "hc-room" is unhealthy
      When a client at 198.51.100.7 asks for A "www"
      Then the answer is room
