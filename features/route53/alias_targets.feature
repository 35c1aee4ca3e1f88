@route53 @change-batch
Feature: Alias targets
  Where an alias may lead.

  @R53-21
  Rule: A simple alias has exactly one target
    Simple routing

    Background:
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |

    Scenario: A list of targets
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A",
            "AliasTarget": {"HostedZoneId": "Z-OWN", "EvaluateTargetHealth": true, "DNSName": ["www.example.com", "www.example.com"]}}}
        ]}
        """
      Then it is refused: "expected a text"

    Scenario: No target
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A",
            "AliasTarget": {"HostedZoneId": "Z-OWN", "EvaluateTargetHealth": true}}}
        ]}
        """
      Then it is refused: "DNSName"

    Scenario: A second target beside the first, as a second simple alias
      Given the zone "example.com" with the record sets:
        | name  | ttl | alias to | evaluate target health |
        | www   | 60  |          |                        |
        | spare | 60  |          |                        |
        | api   |     | www      | yes                    |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A",
            "AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "spare.example.com", "EvaluateTargetHealth": true}}}
        ]}
        """
      Then it is refused: "already exists"

    Scenario: One target
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A",
            "AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "www.example.com", "EvaluateTargetHealth": true}}}
        ]}
        """
      Then it is accepted

  @R53-29
  Rule: An alias primary evaluates its target or has a health check
    badmintoncryer/cdk-preflight, rule pf-route53, failover-alias-evaluate-target-health
    Route 53 API Reference, ResourceRecordSet

    Scenario Outline: An alias primary that says <evaluates>, <check>
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "primary", "Failover": "PRIMARY",
            <check>"AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "www.example.com", "EvaluateTargetHealth": <evaluates>}}}
        ]}
        """
      Then it is <outcome>

      Examples:
        | evaluates | check                    | outcome           |
        | false     |                          | refused: "R53-29" |
        | true      |                          | accepted          |
        | false     | "HealthCheckId": "hc-1", | accepted          |
        | true      | "HealthCheckId": "hc-1", | accepted          |

  @R53-30
  Rule: A secondary needs neither a health check nor an evaluated target
    How Amazon Route 53 chooses records when health checking is configured
    badmintoncryer/cdk-preflight, rule pf-route53, failover-alias-evaluate-target-health

    Background:
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |

    Scenario: A secondary with values and no health check
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "secondary", "Failover": "SECONDARY",
            "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is accepted

    Scenario: A secondary alias that evaluates nothing
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "secondary", "Failover": "SECONDARY",
            "AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "www.example.com", "EvaluateTargetHealth": false}}}
        ]}
        """
      Then it is accepted

  @R53-33
  Rule: A failover pair may be made of an alias and a record with values
    Values specific for failover alias records

    Background:
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |

    Scenario: An alias primary and a secondary with values
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "primary", "Failover": "PRIMARY",
            "AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "www.example.com", "EvaluateTargetHealth": true}}},
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "secondary", "Failover": "SECONDARY",
            "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is accepted

    Scenario: A primary with values and an alias secondary
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "primary", "Failover": "PRIMARY",
            "HealthCheckId": "hc-1", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}},
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "secondary", "Failover": "SECONDARY",
            "AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "www.example.com", "EvaluateTargetHealth": true}}}
        ]}
        """
      Then it is accepted

  @R53-78
  Rule: A multivalue record is no alias
    Values specific for multivalue answer records
    badmintoncryer/cdk-preflight, rule pf-route53, multivalue-alias

    Scenario: A multivalue alias
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "a", "MultiValueAnswer": true,
            "AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "www.example.com", "EvaluateTargetHealth": true}}}
        ]}
        """
      Then it is refused: "R53-78"

  @R53-79
  Rule: NS and CNAME cannot be multivalue
    Values specific for multivalue answer records
    badmintoncryer/cdk-preflight, rule pf-route53, record-type-routing-policy

    Scenario Outline: A multivalue <type>
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "<type>", "SetIdentifier": "a", "MultiValueAnswer": true,
            "TTL": 60, "ResourceRecords": [{"Value": "<value>"}]}}
        ]}
        """
      Then it is <outcome>

      Examples:
        | type  | value             | outcome           |
        | CNAME | www.example.net   | refused: "R53-79" |
        | NS    | ns.example.net    | refused: "R53-79" |
        | AAAA  | 2001:db8::1       | accepted          |
        | MX    | 10 mx.example.net | accepted          |

  @R53-95
  Rule: An alias has the type of its target, which exists in the same zone
    Route 53 API Reference, AliasTarget
    Task list for configuring DNS failover
    badmintoncryer/cdk-preflight, rule pf-route53, alias-samezone-target-missing
    GitHub issue, barnybug/cli53#227

    Scenario: The target is missing
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A",
            "AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "ww.example.com", "EvaluateTargetHealth": true}}}
        ]}
        """
      Then it is refused: "R53-95"

    Scenario: The target has another type
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "AAAA",
            "AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "www.example.com", "EvaluateTargetHealth": true}}}
        ]}
        """
      Then it is refused: "R53-95"

    Scenario: The target comes in the same batch
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A",
            "AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "home.example.com", "EvaluateTargetHealth": true}}},
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "home.example.com", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is accepted

    Scenario: The target is deleted under its alias
      Given the zone "example.com" with the record sets:
        | name | routing | id | health check | alias to | evaluate target health | ttl |
        | www  |         |    |              | home     | no                     |     |
        | home |         |    |              |          |                        | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "DELETE", "ResourceRecordSet": {
            "Name": "home.example.com", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "198.19.0.2"}]}}
        ]}
        """
      Then it is refused: "R53-95"

    Scenario: Two aliases that point at each other
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "one.example.com", "Type": "A",
            "AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "two.example.com", "EvaluateTargetHealth": true}}},
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "two.example.com", "Type": "A",
            "AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "one.example.com", "EvaluateTargetHealth": true}}}
        ]}
        """
      Then it is refused: "alias loop"

  @R53-99
  Rule: An alias to CloudFront cannot evaluate its target
    Values specific for failover alias records
    Route 53 API Reference, AliasTarget

    Scenario Outline: Evaluate target health is <evaluates>
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A",
            "AliasTarget": {"HostedZoneId": "Z2FDTNDATAQYW2", "DNSName": "d111111abcdef8.cloudfront.net", "EvaluateTargetHealth": <evaluates>}}}
        ]}
        """
      Then it is <outcome>

      Examples:
        | evaluates | outcome           |
        | true      | refused: "R53-99" |
        | false     | accepted          |

  @R53-169
  Rule: An alias has no TTL of its own
    Choosing between alias and non-alias records
    GitHub issue, aws/aws-cli#2508

    Background:
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |

    Scenario: An alias with a TTL
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "TTL": 60,
            "AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "www.example.com", "EvaluateTargetHealth": true}}}
        ]}
        """
      Then it is refused: "R53-169"

    Scenario: An alias without
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A",
            "AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "www.example.com", "EvaluateTargetHealth": true}}}
        ]}
        """
      Then it is accepted

  @R53-214
  Rule: A private zone has no alias to CloudFront
    Route 53 API Reference, AliasTarget

    Scenario: In a private zone
      Given the private zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A",
            "AliasTarget": {"HostedZoneId": "Z2FDTNDATAQYW2", "DNSName": "d111111abcdef8.cloudfront.net", "EvaluateTargetHealth": false}}}
        ]}
        """
      Then it is refused: "R53-214"

    Scenario: In a public zone
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A",
            "AliasTarget": {"HostedZoneId": "Z2FDTNDATAQYW2", "DNSName": "d111111abcdef8.cloudfront.net", "EvaluateTargetHealth": false}}}
        ]}
        """
      Then it is accepted

  @R53-236
  Rule: An alias says whether it evaluates its target
    Route 53 API Reference, AliasTarget
    GitHub issue, boto/boto#2096

    Scenario: It does not say
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A",
            "AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "www.example.com"}}}
        ]}
        """
      Then it is refused: "R53-236"

  @R53-237
  Rule: An alias names the hosted zone that owns its target
    GitHub issue, barnybug/cli53#213
    badmintoncryer/cdk-preflight, rule pf-route53, alias-target-outside-zone

    Background:
      Given the zone "example.com" with the record sets:
        | name | alias to |
        | www  | home     |
        | home |          |

    Scenario: A target outside with this zone's own id
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A",
            "AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "www.example.net", "EvaluateTargetHealth": true}}}
        ]}
        """
      Then it is refused: "R53-237"

    Scenario: A load balancer with its own zone's id
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A",
            "AliasTarget": {"HostedZoneId": "Z35SXDOTRQ7X7K", "DNSName": "balancer-1.us-east-1.elb.amazonaws.com", "EvaluateTargetHealth": true}}}
        ]}
        """
      Then it is accepted

  @R53-238
  Rule: Each kind of alias target has its own zone id
    Route 53 API Reference, AliasTarget
    badmintoncryer/cdk-preflight, rule pf-route53, alias-*-zone-id

    Scenario Outline: <target> with zone id <id>
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A",
            "AliasTarget": {"HostedZoneId": "<id>", "DNSName": "<target>", "EvaluateTargetHealth": false}}}
        ]}
        """
      Then it is <outcome>

      Examples:
        | target                        | id             | outcome            |
        | d111111abcdef8.cloudfront.net | Z2FDTNDATAQYW2 | accepted           |
        | d111111abcdef8.cloudfront.net | Z2BJ6XQ5FK7U4H | refused: "R53-238" |
        | a123.awsglobalaccelerator.com | Z2BJ6XQ5FK7U4H | accepted           |
        | a123.awsglobalaccelerator.com | Z2FDTNDATAQYW2 | refused: "R53-238" |

  @R53-239
  Rule: An alias target exists, with the alias's type
    badmintoncryer/cdk-preflight, rule pf-route53, alias-apex-to-cname
    GitHub issue, barnybug/cli53#227

    Background:
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |

    Scenario: Nothing of that name
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A",
            "AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "wwww.example.com", "EvaluateTargetHealth": true}}}
        ]}
        """
      Then it is refused: "did you mean `www.example.com.`"

    Scenario: Only another type
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "AAAA",
            "AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "www.example.com", "EvaluateTargetHealth": true}}}
        ]}
        """
      Then it is refused: "only of A"

  @R53-240
  Rule: An alias does not reach a record of another hosted zone
    Route 53 API Reference, AliasTarget

    Scenario: A record of another zone
      Given the zone "example.com" with the record sets:
        | name | alias to |
        | www  | home     |
        | home |          |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A",
            "AliasTarget": {"HostedZoneId": "Z-OWN", "DNSName": "www.example.org", "EvaluateTargetHealth": true}}}
        ]}
        """
      Then it is refused: "R53-240"
