@route53 @geolocation
Feature: Geolocation routing
  The smallest location that holds the asker decides: state, country, continent, default. Whoever is nowhere and has no
  default gets no data.

  @R53-53
  Rule: The smallest location that holds the asker wins: state, country, continent, default
    Geolocation routing
    Values specific for geolocation records

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing             | id            |
        | www  | geolocation US-CA   | california    |
        | www  | geolocation US      | states        |
        | www  | geolocation NA      | north-america |
        | www  | geolocation SA      | south-america |
        | www  | geolocation BR      | brazil        |
        | www  | geolocation default | default       |

    Scenario Outline: Asked from <place>
      When many clients in <place> ask for A "www"
      Then the answer is <answer>

      Examples:
        | place   | answer        |
        | US-CA   | california    |
        | US-NY   | states        |
        | Canada  | north-america |
        | Brazil  | brazil        |
        | Chile   | south-america |
        | Germany | default       |

    Scenario: A country whose code is that of a continent is a country
      Given the zone "example.com" with the record sets:
        | name | routing                | id            |
        | www  | geolocation country SA | saudi-arabia  |
        | www  | geolocation SA         | south-america |
        | www  | geolocation AS         | asia          |
      When a client in Saudi Arabia asks for A "www"
      Then the answer is saudi-arabia
      When a client in Chile asks for A "www"
      Then the answer is south-america

  @R53-54
  Rule: The default location answers whoever matches no other, or cannot be located
    Geolocation routing
    Route 53 API Reference, ResourceRecordSet

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing             | id      |
        | www  | geolocation DE      | germany |
        | www  | geolocation default | default |
      And the network 198.51.100.0/24 is in Germany

    Scenario: Asked from a country without a record
      When a client in Japan asks for A "www"
      Then the answer is default

    Scenario: Asked from an address that is nowhere
      When a client at 203.0.113.7 asks for A "www"
      Then the answer is default

    Scenario: Asked from an address that is somewhere
      When a client at 198.51.100.7 asks for A "www"
      Then the answer is germany

  @R53-55
  Rule: Whoever matches no location gets no data when there is no default
    Geolocation routing
    Best practices for Amazon Route 53 DNS
    NS and SOA records that Amazon Route 53 creates for a public hosted zone

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing        | id     | health check |
        | www  | geolocation US | states | hc-states    |

    Scenario: Asked from elsewhere
      When a client in Germany asks for A "www"
      Then the response is NODATA
      And the negative TTL is 900 s

    Scenario: Asked from an address that is nowhere
      When a client at 203.0.113.7 asks for A "www"
      Then the response is NODATA

    Scenario: Nobody is let in because the only record is unhealthy
      Given the health check "hc-states" is unhealthy
      When a client in Germany asks for A "www"
      Then the response is NODATA

    Scenario: Asked from within
      When a client in US-TX asks for A "www"
      Then the answer is states

  @R53-56
  Rule: A US address without a known state is none of the states
    Values specific for geolocation records

    Scenario: The address is in the US, nobody knows where
      Given the zone "example.com" with the record sets:
        | name | routing             | id         |
        | www  | geolocation US-CA   | california |
        | www  | geolocation US-NY   | new-york   |
        | www  | geolocation default | default    |
      When a client in United States asks for A "www"
      Then the answer is default

    Scenario: There is no default either
      Given the zone "example.com" with the record sets:
        | name | routing           | id         |
        | www  | geolocation US-CA | california |
        | www  | geolocation US-NY | new-york   |
      When a client in United States asks for A "www"
      Then the response is NODATA

  @R53-57
  Rule: An unhealthy location gives way to the next larger healthy one
    Values specific for geolocation records
    Values specific for geolocation alias records

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing             | id            | health check |
        | www  | geolocation US-CA   | california    | hc-state     |
        | www  | geolocation US      | states        | hc-country   |
        | www  | geolocation NA      | north-america | hc-continent |
        | www  | geolocation default | default       | hc-default   |

    Scenario Outline: State <state>, country <country>, continent <continent>
      Given the health checks are:
        | health check | status      |
        | hc-state     | <state>     |
        | hc-country   | <country>   |
        | hc-continent | <continent> |
      When many clients in US-CA ask for A "www"
      Then the answer is <answer>

      Examples:
        | state     | country   | continent | answer        |
        | healthy   | unhealthy | unhealthy | california    |
        | unhealthy | healthy   | healthy   | states        |
        | unhealthy | unhealthy | healthy   | north-america |
        | unhealthy | healthy   | unhealthy | states        |
        | unhealthy | unhealthy | unhealthy | default       |

  @R53-58
  Rule: The smallest location is answered when all that apply are unhealthy
    Values specific for geolocation records

    Scenario Outline: Everything that applies in <place> is unhealthy
      Given the zone "example.com" with the record sets:
        | name | routing             | id            | health check |
        | www  | geolocation US-CA   | california    | hc-state     |
        | www  | geolocation US      | states        | hc-country   |
        | www  | geolocation NA      | north-america | hc-continent |
        | www  | geolocation default | default       | hc-default   |
      And every health check is unhealthy
      When many clients in <place> ask for A "www"
      Then the answer is <answer>
      And the answer is the last resort

      Examples:
        | place  | answer        |
        | US-CA  | california    |
        | US-NY  | states        |
        | Mexico | north-america |
        | Japan  | default       |

  @R53-59
  Rule: Another continent never steps in
    Values specific for geolocation records

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing        | id            | health check     |
        | www  | geolocation BR | brazil        | hc-brazil        |
        | www  | geolocation SA | south-america | hc-south-america |
        | www  | geolocation EU | europe        | hc-europe        |

    Scenario: Both records that apply are unhealthy, Europe is well
      Given the health checks are:
        | health check     | status    |
        | hc-brazil        | unhealthy |
        | hc-south-america | unhealthy |
      When many clients in Brazil ask for A "www"
      Then the answer is brazil
      And europe is never answered
