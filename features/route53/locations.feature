@route53 @change-batch
Feature: Locations of record sets
  Where a record set may be meant for.

  @R53-60
  Rule: A location is a continent, a country or the default, by its code
    Route 53 API Reference, GeoLocation

    Scenario Outline: The location <location>
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "a", "GeoLocation": <location>, "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is <outcome>

      Examples:
        | location                   | outcome           |
        | {"ContinentCode": "AF"}    | accepted          |
        | {"ContinentCode": "AN"}    | accepted          |
        | {"ContinentCode": "AS"}    | accepted          |
        | {"ContinentCode": "EU"}    | accepted          |
        | {"ContinentCode": "NA"}    | accepted          |
        | {"ContinentCode": "OC"}    | accepted          |
        | {"ContinentCode": "SA"}    | accepted          |
        | {"ContinentCode": "EUR"}   | refused: "R53-60" |
        | {"CountryCode": "BR"}      | accepted          |
        | {"CountryCode": "*"}       | accepted          |
        | {"CountryCode": "Brazil"}  | refused: "R53-60" |
        | {"CountryCode": "BRA"}     | refused: "R53-60" |
        | {"CountryCode": "Default"} | refused: "R53-60" |
        | {}                         | refused: "R53-60" |

  @R53-61
  Rule: A subdivision is a state of the US
    Route 53 API Reference, GeoLocation
    badmintoncryer/cdk-preflight, rule pf-route53, geolocation-subdivision-requires-us
    GitHub issue, sous-chefs/aws#437

    Scenario Outline: The location <location>
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "a", "GeoLocation": <location>, "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is <outcome>

      Examples:
        | location                                       | outcome           |
        | {"CountryCode": "US", "SubdivisionCode": "CA"} | accepted          |
        | {"CountryCode": "US", "SubdivisionCode": "XX"} | refused: "R53-61" |
        | {"CountryCode": "CA", "SubdivisionCode": "ON"} | refused: "R53-61" |
        | {"CountryCode": "BR", "SubdivisionCode": "SP"} | refused: "R53-61" |

  @R53-62
  Rule: Four countries are not supported as locations
    Values specific for geolocation records
    badmintoncryer/cdk-preflight, rule pf-route53, geolocation-unsupported-country

    Scenario Outline: The country <code>
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "a", "GeoLocation": {"CountryCode": "<code>"}, "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is refused: "R53-62"

      Examples:
        | code |
        | BV   |
        | CX   |
        | EH   |
        | HM   |

  @R53-232
  Rule: A continent stands without a country
    Route 53 API Reference, GeoLocation

    Scenario Outline: The location <location>
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "a", "GeoLocation": <location>, "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is refused: "R53-232"

      Examples:
        | location                                         |
        | {"ContinentCode": "SA", "CountryCode": "BR"}     |
        | {"ContinentCode": "NA", "SubdivisionCode": "CA"} |

  @R53-233
  Rule: A location's code is a known one
    badmintoncryer/cdk-preflight, rule pf-route53, geolocation-subdivision-code-value

    Scenario Outline: The location <location>
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "a", "GeoLocation": <location>, "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is refused: "R53-233"

      Examples:
        | location                                       |
        | {"ContinentCode": "EU1"}                       |
        | {"CountryCode": "UK"}                          |
        | {"CountryCode": "US", "SubdivisionCode": "ZZ"} |

  @R53-231
  Rule: A geolocation group names each location once
    Route 53 API Reference, ResourceRecordSet
    badmintoncryer/cdk-preflight, rule pf-route53, geolocation-duplicate-location

    Scenario Outline: A record for <location>
      Given the zone "example.com" with the record sets:
        | name | routing             | id |
        | www  | geolocation BR      | a  |
        | www  | geolocation default | d  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "A", "SetIdentifier": "b", "GeoLocation": <location>, "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is <outcome>

      Examples:
        | location                | outcome            |
        | {"CountryCode": "BR"}   | refused: "R53-231" |
        | {"CountryCode": "*"}    | refused: "R53-231" |
        | {"CountryCode": "AR"}   | accepted           |
        | {"ContinentCode": "SA"} | accepted           |

  @R53-230
  Rule: A latency group names each known Region once
    Values specific for latency records
    badmintoncryer/cdk-preflight, rule pf-route53, latency-one-record-per-region
    GitHub issue, boto/botocore#2661

    Scenario Outline: A record for <region>
      Given the zone "example.com" with the record sets:
        | name | routing           | id |
        | www  | latency sa-east-1 | a  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "A", "SetIdentifier": "b", "Region": "<region>", "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is <outcome>

      Examples:
        | region    | outcome                             |
        | sa-east-1 | refused: "R53-230"                  |
        | us-east-1 | accepted                            |
        | sa-est-1  | refused: "did you mean `sa-east-1`" |

  @R53-64
  Rule: A bias is a whole number from -99 to 99
    Route 53 API Reference, GeoProximityLocation
    badmintoncryer/cdk-preflight, rule pf-route53, geoproximity-bias-range

    Scenario Outline: A bias of <bias>
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "a", "GeoProximityLocation": {"AWSRegion": "sa-east-1", "Bias": <bias>},
            "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is <outcome>

      Examples:
        | bias | outcome           |
        | 99   | accepted          |
        | -99  | accepted          |
        | 0    | accepted          |
        | 100  | refused: "R53-64" |
        | -100 | refused: "R53-64" |
        | 0.5  | refused: "R53-64" |

  @R53-65
  Rule: A geoproximity record stands at exactly one Region, Local Zone group or pair of coordinates
    Route 53 API Reference, GeoProximityLocation
    Route 53 API Reference, Coordinates
    badmintoncryer/cdk-preflight, rule pf-route53, geoproximity-exclusive

    Scenario Outline: The location <location>
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "a", "GeoProximityLocation": <location>,
            "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is <outcome>

      Examples:
        | location                                                        | outcome           |
        | {"AWSRegion": "sa-east-1"}                                      | accepted          |
        | {"LocalZoneGroup": "us-east-1-bos-1"}                           | accepted          |
        | {"Coordinates": {"Latitude": "-90", "Longitude": "180"}}        | accepted          |
        | {"Coordinates": {"Latitude": "-23.55", "Longitude": "-46.63"}}  | accepted          |
        | {"Bias": 10}                                                    | refused: "R53-65" |
        | {"AWSRegion": "sa-east-1", "LocalZoneGroup": "us-east-1-bos-1"} | refused: "R53-65" |
        | {"Coordinates": {"Latitude": "90.01", "Longitude": "0"}}        | refused: "R53-65" |
        | {"Coordinates": {"Latitude": "0", "Longitude": "-180.01"}}      | refused: "R53-65" |
        | {"Coordinates": {"Latitude": "1.234", "Longitude": "0"}}        | refused: "R53-65" |

  @R53-66
  Rule: Geoproximity is a policy of plain record sets, in private zones too
    Geoproximity routing
    Choosing a routing policy
    Route 53 API Reference, ResourceRecordSet

    Scenario: In a public zone
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "a", "GeoProximityLocation": {"AWSRegion": "sa-east-1"},
            "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is accepted

    Scenario: In a private zone
      Given the private zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "a", "GeoProximityLocation": {"AWSRegion": "sa-east-1"},
            "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is accepted

  @R53-71
  Rule: A CIDR block is /1 to /24 or /1 to /48 and stands once in its collection
    IP-based routing
    badmintoncryer/cdk-preflight, rule pf-route53, cidrcollection-*

    Scenario Outline: A block <block>
      When the CIDR collection "offices" is created:
        """
        {"CidrBlocks": [{"CidrBlock": "<block>", "LocationName": "hq"}]}
        """
      Then it is <outcome>

      Examples:
        | block           | outcome           |
        | 198.51.100.0/24 | accepted          |
        | 198.51.100.0/25 | refused: "R53-71" |
        | 128.0.0.0/1     | accepted          |
        | 0.0.0.0/0       | refused: "R53-71" |
        | 2001:db8::/48   | accepted          |
        | 2001:db8::/49   | refused: "R53-71" |
        | 8000::/1        | accepted          |
        | ::/0            | refused: "R53-71" |

    Scenario: A block in two locations
      When the CIDR collection "offices" is created:
        """
        {"CidrBlocks": [
          {"CidrBlock": "198.51.100.0/24", "LocationName": "hq"},
          {"CidrBlock": "198.51.100.0/24", "LocationName": "branch"}
        ]}
        """
      Then it is refused: "R53-71"

  @R53-72
  Rule: A group names one CIDR collection
    IP-based routing
    badmintoncryer/cdk-preflight, rule pf-route53, cidr-same-collection-in-group

    Background:
      Given the zone "example.com" with the record sets:
        | name |
        | www  |
      And the CIDR collection "offices" is created:
        | location | blocks          |
        | hq       | 198.51.100.0/24 |
      And the CIDR collection "partners" is created:
        | location | blocks         |
        | hq       | 203.0.113.0/24 |

    Scenario: Two collections
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "a",
            "CidrRoutingConfig": {"CollectionId": "offices", "LocationName": "hq"}, "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}},
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "b",
            "CidrRoutingConfig": {"CollectionId": "partners", "LocationName": "hq"}, "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is refused: "R53-72"

    Scenario: One collection
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "a",
            "CidrRoutingConfig": {"CollectionId": "offices", "LocationName": "hq"}, "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}},
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "b",
            "CidrRoutingConfig": {"CollectionId": "offices", "LocationName": "*"}, "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is accepted

  @R53-245
  Rule: A CIDR location names its collection and has a plain name
    Route 53 API Reference, CidrRoutingConfig
    badmintoncryer/cdk-preflight, rule pf-route53, cidrcollection-locationname-wildcard

    Scenario Outline: The location <location>
      Given the zone "example.com" with the record sets:
        | name |
        | www  |
      And the CIDR collection "offices" is created:
        | location | blocks          |
        | hq       | 198.51.100.0/24 |
      And the CIDR collection "partners" is created:
        | location | blocks         |
        | hq       | 203.0.113.0/24 |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "a", "CidrRoutingConfig": <location>,
            "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is <outcome>

      Examples:
        | location                                                         | outcome            |
        | {"CollectionId": "offices", "LocationName": "*"}                 | accepted           |
        | {"LocationName": "*"}                                            | refused: "R53-245" |
        | {"CollectionId": "offices", "LocationName": "a name"}            | refused: "R53-245" |
        | {"CollectionId": "offices", "LocationName": "seventeen-letters"} | refused: "R53-245" |

    Scenario Outline: A collection with the location <name>
      When the CIDR collection "offices" is created:
        """
        {"CidrBlocks": [{"CidrBlock": "198.51.100.0/24", "LocationName": "<name>"}]}
        """
      Then it is <outcome>

      Examples:
        | name              | outcome            |
        | hq                | accepted           |
        | sixteen-letters-  | accepted           |
        | seventeen-letters | refused: "R53-245" |
        | head office       | refused: "R53-245" |
        | *                 | refused: "R53-245" |

  @R53-208
  Rule: A private zone has no IP-based records
    Choosing a routing policy
    Considerations when working with a private hosted zone
    badmintoncryer/cdk-preflight, rule pf-route53, cidr-private-zone

    Scenario Outline: A <policy> record
      Given the private zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", <fields> "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is accepted

      Examples:
        | policy       | fields                                                                    |
        | simple       |                                                                           |
        | failover     | "SetIdentifier": "p", "Failover": "PRIMARY", "HealthCheckId": "hc",       |
        | multivalue   | "SetIdentifier": "a", "MultiValueAnswer": true,                           |
        | weighted     | "SetIdentifier": "a", "Weight": 1,                                        |
        | latency      | "SetIdentifier": "a", "Region": "sa-east-1",                              |
        | geolocation  | "SetIdentifier": "a", "GeoLocation": {"CountryCode": "BR"},               |
        | geoproximity | "SetIdentifier": "a", "GeoProximityLocation": {"AWSRegion": "sa-east-1"}, |

    Scenario: An IP-based record
      Given the private zone "example.com" with the record sets:
        | name |
        | www  |
      And the CIDR collection "offices" is created:
        | location | blocks          |
        | hq       | 198.51.100.0/24 |
      And the CIDR collection "partners" is created:
        | location | blocks         |
        | hq       | 203.0.113.0/24 |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "a",
            "CidrRoutingConfig": {"CollectionId": "offices", "LocationName": "hq"}, "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is refused: "R53-208"
