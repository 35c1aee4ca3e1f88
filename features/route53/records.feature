@route53 @change-batch
Feature: Record sets
  What Route 53 takes as one record set and beside others, and what it refuses.

  @R53-15
  Rule: A health check cannot hang on a simple record
    badmintoncryer/cdk-preflight, rule pf-route53, private-zone-health-check-policy
    Simple routing

    Scenario: A health check on a record with values in a public zone
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "HealthCheckId": "hc-1", "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is refused: "R53-15"

    Scenario: A health check on a record with values in a private zone
      Given the private zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "HealthCheckId": "hc-1", "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is refused: "R53-15"

    Scenario: A health check on a simple alias
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "HealthCheckId": "hc-1",
            "AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "www.example.com", "EvaluateTargetHealth": true}}}
        ]}
        """
      Then it is refused: "R53-15"

  @R53-20
  Rule: A name and type has one simple record at most
    Simple routing
    GitHub issue, AnalogJ/lexicon#179

    Background:
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |

    Scenario: A second simple record
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.2"}]}}
        ]}
        """
      Then it is refused: "already exists"

    Scenario: Two values in one record instead
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "UPSERT", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "A", "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}, {"Value": "192.0.2.2"}]}}
        ]}
        """
      Then it is accepted

    Scenario: The same name with another type
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "AAAA", "TTL": 60, "ResourceRecords": [{"Value": "2001:db8::1"}]}}
        ]}
        """
      Then it is accepted

  @R53-173
  Rule: A record with values has a TTL of 0 to 2147483647 s
    Route 53 API Reference, ResourceRecordSet
    Best practices for Amazon Route 53 DNS
    Values that are common for all routing policies

    Scenario Outline: A TTL of <ttl>
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "TTL": <ttl>, "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is <outcome>

      Examples:
        | ttl        | outcome            |
        | 0          | accepted           |
        | 2147483647 | accepted           |
        | 2147483648 | refused: "R53-173" |
        | -1         | refused: "R53-173" |
        | 1.5        | refused: "R53-173" |

  @R53-174
  Rule: Weighted records of one group share one TTL
    badmintoncryer/cdk-preflight, rule pf-route53, weighted-group-same-ttl
    GitHub issue, aws/aws-sdk-go-v2#518
    Values specific for weighted records

    Scenario: Another TTL
      Given the zone "example.com" with the record sets:
        | name | routing  | id | ttl |
        | www  | weight 1 | a  | 60  |
        | www  | weight 1 | b  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "A", "SetIdentifier": "c", "Weight": 1, "TTL": 61,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is refused: "R53-174"

    Scenario: The same TTL
      Given the zone "example.com" with the record sets:
        | name | routing  | id | ttl |
        | www  | weight 1 | a  | 60  |
        | www  | weight 1 | b  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "A", "SetIdentifier": "c", "Weight": 1, "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is accepted

    Scenario: An alias has none
      Given the zone "example.com" with the record sets:
        | name | routing  | id | ttl |
        | home |          |    | 300 |
        | www  | weight 1 | a  | 60  |
        | www  | weight 1 | b  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "A", "SetIdentifier": "c", "Weight": 1,
            "AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "home.example.com", "EvaluateTargetHealth": true}}}
        ]}
        """
      Then it is accepted

  @R53-36
  Rule: A failover group holds failover records only
    Values specific for failover records

    Scenario Outline: A <policy> record beside a failover pair
      Given the zone "example.com" with the record sets:
        | name | routing            | id | health check |
        | www  | failover primary   | p  | hc-p         |
        | www  | failover secondary | s  |              |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "A", <fields> "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is refused: "<rule>"

      Examples:
        | policy     | fields                                          | rule    |
        | weighted   | "SetIdentifier": "w", "Weight": 1,              | R53-221 |
        | latency    | "SetIdentifier": "l", "Region": "sa-east-1",    | R53-221 |
        | multivalue | "SetIdentifier": "m", "MultiValueAnswer": true, | R53-221 |
        | simple     |                                                 | R53-222 |

  @R53-38
  Rule: A weight is a whole number from 0 to 255
    Values specific for weighted records
    Route 53 API Reference, ResourceRecordSet
    badmintoncryer/cdk-preflight, rule pf-route53, weight-range

    Scenario Outline: A weight of <weight>
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "a", "Weight": <weight>, "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is <outcome>

      Examples:
        | weight | outcome           |
        | 0      | accepted          |
        | 255    | accepted          |
        | 256    | refused: "R53-38" |
        | 300    | refused: "R53-38" |
        | -1     | refused: "R53-38" |
        | 1.5    | refused: "R53-38" |

  @R53-221
  Rule: A group has one policy
    badmintoncryer/cdk-preflight, rule pf-route53, mixed-routing-policy-same-name-type
    GitHub issue, cert-manager/cert-manager#5388
    GitHub issue, kubernetes-sigs/external-dns#4345

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing  | id | ttl |
        | www  | weight 1 | a  | 60  |
        | www  | weight 1 | b  | 60  |

    Scenario: A latency record beside weighted ones
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "A", "SetIdentifier": "l", "Region": "sa-east-1", "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is refused: "R53-221"

    Scenario: The other type of the name has its own policy
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "AAAA", "SetIdentifier": "l", "Region": "sa-east-1", "TTL": 60,
            "ResourceRecords": [{"Value": "2001:db8::1"}]}}
        ]}
        """
      Then it is accepted

  @R53-222
  Rule: A simple record does not stand beside records with a policy
    badmintoncryer/cdk-preflight, rule pf-route53, simple-and-policy-same-name-type
    GitHub issue, barnybug/cli53#257

    Scenario: A weighted record beside a simple one
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "A", "SetIdentifier": "a", "Weight": 1, "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is refused: "R53-222"

    Scenario: A simple record beside weighted ones
      Given the zone "example.com" with the record sets:
        | name | routing  | id | ttl |
        | www  | weight 1 | a  | 60  |
        | www  | weight 1 | b  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is refused: "R53-222"

  @R53-224
  Rule: A policy and a set identifier of 1 to 128 characters go together
    badmintoncryer/cdk-preflight, rule pf-route53, set-identifier-pairing

    Background:
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |

    Scenario Outline: <what>
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", <fields> "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is refused: "R53-224"

      Examples:
        | what                           | fields                            |
        | A policy without an identifier | "Weight": 1,                      |
        | An identifier without a policy | "SetIdentifier": "a",             |
        | An empty identifier            | "SetIdentifier": "", "Weight": 1, |

    Scenario: An identifier of 128 characters
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A",
            "SetIdentifier": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "Weight": 1, "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is accepted

    Scenario: An identifier of 129 characters
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A",
            "SetIdentifier": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "Weight": 1, "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is refused: "R53-224"

  @R53-226
  Rule: A record has one policy
    badmintoncryer/cdk-preflight, rule pf-route53, routing-policy-exclusive
    badmintoncryer/cdk-preflight, rule pf-route53, set-identifier-pairing

    Scenario: A weight and a Region
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "a", "Weight": 1, "Region": "sa-east-1",
            "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is refused: "R53-226"

  @R53-28
  Rule: A primary with values needs a health check
    badmintoncryer/cdk-preflight, rule pf-route53, failover-requires-health-check
    GitHub issue, kubernetes-sigs/external-dns#2362

    Background:
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |

    Scenario: No health check
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "primary", "Failover": "PRIMARY",
            "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is refused: "R53-28"

    Scenario: A health check
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "primary", "Failover": "PRIMARY",
            "HealthCheckId": "hc-1", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is accepted

  @R53-228
  Rule: A primary without anything that could make it unhealthy is refused
    badmintoncryer/cdk-preflight, rule pf-route53, failover-requires-health-check
    badmintoncryer/cdk-preflight, rule pf-route53, failover-alias-evaluate-target-health

    Background:
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |

    Scenario: A primary with values
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "primary", "Failover": "PRIMARY",
            "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is refused: "no health check"

    Scenario: An alias primary
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "primary", "Failover": "PRIMARY",
            "AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "www.example.com", "EvaluateTargetHealth": false}}}
        ]}
        """
      Then it is refused: "neither evaluates its target"

  @R53-229
  Rule: A health check without a policy is refused
    badmintoncryer/cdk-preflight, rule pf-route53, private-zone-health-check-policy

    Scenario: A health check without a policy
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "HealthCheckId": "hc-1", "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is refused: "a health check hangs on a simple record set"

  @R53-234
  Rule: Groups, records and zones have size limits
    Quotas
    badmintoncryer/cdk-preflight, rule pf-route53, weighted-max-100-same-name-type

    Background:
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |

    Scenario Outline: <count> <policy> records
      When a change batch creates <count> <policy> record sets at "api"
      Then it is <outcome>

      Examples:
        | count | policy       | outcome            |
        | 100   | weighted     | accepted           |
        | 101   | weighted     | refused: "R53-234" |
        | 100   | multivalue   | accepted           |
        | 101   | multivalue   | refused: "R53-234" |
        | 101   | geolocation  | refused: "R53-234" |
        | 30    | geoproximity | accepted           |
        | 31    | geoproximity | refused: "R53-234" |

    Scenario Outline: <count> values in one record
      When a change batch is to CREATE TXT "many" with <count> values of 6 characters in sets of <count>
      Then it is <outcome>

      Examples:
        | count | outcome            |
        | 400   | accepted           |
        | 401   | refused: "R53-234" |

  @R53-235
  Rule: A record is either an alias or has a TTL and values
    GitHub issue, ansible-collections/community.aws#434
    GitHub issue, ministryofjustice/modernisation-platform#10072
    badmintoncryer/cdk-preflight, rule pf-route53, record-value-source

    Background:
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |

    Scenario Outline: <what>
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", <fields>}}
        ]}
        """
      Then it is <outcome>

      Examples:
        | what                 | fields                                                 | outcome            |
        | A TTL alone          | "TTL": 60                                              | refused: "R53-235" |
        | Values without a TTL | "ResourceRecords": [{"Value": "192.0.2.1"}]            | refused: "R53-235" |
        | No values            | "TTL": 60, "ResourceRecords": []                       | refused: "R53-235" |
        | A TTL and values     | "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}] | accepted           |

    Scenario: An alias with values
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A",
            "AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "www.example.com", "EvaluateTargetHealth": true},
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is refused: "R53-235"

    Scenario: An alias with a TTL
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A",
            "AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "www.example.com", "EvaluateTargetHealth": true},
            "TTL": 60}}
        ]}
        """
      Then it is refused: "R53-235"

    Scenario: An alias
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A",
            "AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "www.example.com", "EvaluateTargetHealth": true}}}
        ]}
        """
      Then it is accepted

  @R53-241
  Rule: The apex has no CNAME, and no alias to one
    Values that are common for all routing policies
    badmintoncryer/cdk-preflight, rule pf-route53, apex-cname
    badmintoncryer/cdk-preflight, rule pf-route53, alias-apex-to-cname

    Scenario: A CNAME at the apex
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "example.com", "Type": "CNAME", "TTL": 60, "ResourceRecords": [{"Value": "www.example.net"}]}}
        ]}
        """
      Then it is refused: "R53-241"

    Scenario: An alias at the apex to a CNAME
      Given the zone "example.com" with the record sets:
        | name | type  | values           |
        | www  | CNAME | www.example.net. |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "example.com", "Type": "A",
            "AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "www.example.com", "EvaluateTargetHealth": true}}}
        ]}
        """
      Then it is refused: "only of CNAME"

    Scenario: An alias at the apex
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "example.com", "Type": "A",
            "AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "www.example.com", "EvaluateTargetHealth": true}}}
        ]}
        """
      Then it is accepted

  @R53-242
  Rule: A CNAME stands alone at its name
    Supported DNS record types
    GitHub issue, aws/aws-sdk-java#1996

    Scenario Outline: A CNAME beside <type>
      Given the zone "example.com" with the record sets:
        | name | type   | values  |
        | api  | <type> | <value> |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "CNAME", "TTL": 60,
            "ResourceRecords": [{"Value": "www.example.net"}]}}
        ]}
        """
      Then it is refused: "R53-242"

      Examples:
        | type | value              |
        | A    | 192.0.2.1          |
        | TXT  | "owner"            |
        | MX   | 10 mx.example.net. |

    Scenario: A record beside a CNAME
      Given the zone "example.com" with the record sets:
        | name | type  | values           |
        | api  | CNAME | www.example.net. |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is refused: "R53-242"

  @R53-243
  Rule: NS and SOA have neither policy nor alias, and there is no wildcard NS
    Values that are common for all routing policies
    badmintoncryer/cdk-preflight, rule pf-route53, record-type-routing-policy

    Scenario Outline: <what>
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "<name>", "Type": "<type>", <policy>"TTL": 60, "ResourceRecords": [{"Value": "<value>"}]}}
        ]}
        """
      Then it is refused: "R53-243"

      Examples:
        | what                      | name            | type | policy                                         | value                                                 |
        | A weighted NS             | sub.example.com | NS   | "SetIdentifier": "a", "Weight": 1,             | ns.example.net                                        |
        | A weighted SOA            | example.com     | SOA  | "SetIdentifier": "a", "Weight": 1,             | ns.example.net h.example.net 1 7200 900 1209600 86400 |
        | An NS in a failover group | sub.example.com | NS   | "SetIdentifier": "a", "Failover": "SECONDARY", | ns.example.net                                        |
        | A wildcard NS             | *.example.com   | NS   |                                                | ns.example.net                                        |

    Scenario: An NS alias
      Given the zone "example.com" with the record sets:
        | name | type | values          |
        | sub  | NS   | ns.example.net. |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "other.example.com", "Type": "NS",
            "AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "sub.example.com", "EvaluateTargetHealth": true}}}
        ]}
        """
      Then it is refused: "R53-243"

    Scenario: A DS with a policy is taken
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "sub.example.com", "Type": "DS", "SetIdentifier": "a", "Weight": 1, "TTL": 60,
            "ResourceRecords": [{"Value": "123 4 5 1234567890abcdef"}]}}
        ]}
        """
      Then it is accepted

  @R53-244
  Rule: A record's name lies in its zone
    GitHub issue, meltwater/terraform-aws-asg-dns-handler#38

    Scenario Outline: The name <name>
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "<name>", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is <outcome>

      Examples:
        | name                   | outcome            |
        | api.example.org        | refused: "R53-244" |
        | com                    | refused: "R53-244" |
        | notexample.com         | refused: "R53-244" |
        | deep.below.example.com | accepted           |
        | example.com            | accepted           |
