@route53 @change-batch
Feature: Change batches
  A batch is taken whole or not at all, and changes what is there by its name, type and set identifier.

  @R53-13
  Rule: A change batch takes effect as a whole, usually within a minute
    Route 53 API Reference, ChangeResourceRecordSets
    Best practices for Amazon Route 53 DNS

    Scenario: Two changes are seen together
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "one.example.com", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}},
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "two.example.com", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.2"}]}}
        ]}
        """
      Then it is accepted
      When a client asks for A "one"
      Then the answer is 192.0.2.1
      When a client asks for A "two"
      Then the answer is 192.0.2.2

    Scenario: A record set is replaced and another one removed
      Given the zone "example.com" with the record sets:
        | name | ttl | values    |
        | one  | 60  | 192.0.2.1 |
        | two  | 60  | 192.0.2.2 |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "UPSERT", "ResourceRecordSet": {
            "Name": "one.example.com", "Type": "A", "TTL": 30, "ResourceRecords": [{"Value": "192.0.2.9"}]}},
          {"Action": "DELETE", "ResourceRecordSet": {
            "Name": "two.example.com", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.2"}]}}
        ]}
        """
      Then it is accepted
      When a client asks for A "one"
      Then the answer is 192.0.2.9
      And the TTL is 30 s
      When a client asks for A "two"
      Then the response is NXDOMAIN

  @R53-217
  Rule: One invalid change refuses the whole batch
    Route 53 API Reference, ChangeResourceRecordSets

    Background:
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |

    Scenario: The second of two changes is invalid
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "one.example.com", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}},
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "two.example.com", "Type": "A", "SetIdentifier": "a", "Weight": 256, "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is refused: "R53-38"
      When a client asks for A "one"
      Then the response is NXDOMAIN

    Scenario: The first of two changes is invalid
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "DELETE", "ResourceRecordSet": {
            "Name": "one.example.com", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}},
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "two.example.com", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is refused: "R53-220"
      When a client asks for A "two"
      Then the response is NXDOMAIN

  @R53-219
  Rule: A batch has at most 1000 elements and 32000 characters, an upsert counting twice
    Quotas

    Scenario Outline: <action> <count> values of <length> characters
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When a change batch is to <action> TXT "long" with <count> values of <length> characters in sets of 250
      Then it is <outcome>

      Examples:
        | action | count | length | outcome            |
        | CREATE | 1000  | 6      | accepted           |
        | CREATE | 1001  | 6      | refused: "R53-219" |
        | UPSERT | 500   | 6      | accepted           |
        | UPSERT | 501   | 6      | refused: "R53-219" |
        | CREATE | 160   | 200    | accepted           |
        | CREATE | 161   | 200    | refused: "R53-219" |
        | UPSERT | 80    | 200    | accepted           |
        | UPSERT | 81    | 200    | refused: "R53-219" |

  @R53-220
  Rule: A record is created once and deleted as it is
    Route 53 API Reference, ChangeResourceRecordSets
    GitHub issue, barnybug/cli53#317

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing  | id | values    |
        | www  | weight 1 | a  | 192.0.2.1 |
        | www  | weight 1 | b  | 192.0.2.2 |

    Scenario: It is created a second time
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "A", "SetIdentifier": "a", "Weight": 1, "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.9"}]}}
        ]}
        """
      Then it is refused: "already exists"

    Scenario: It is replaced
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "UPSERT", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "A", "SetIdentifier": "a", "Weight": 1, "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.9"}]}}
        ]}
        """
      Then it is accepted

    Scenario Outline: It is deleted with another <what>
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "DELETE", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "A", "SetIdentifier": "a", "Weight": <weight>, "TTL": <ttl>,
            <check>"ResourceRecords": [{"Value": "<value>"}]}}
        ]}
        """
      Then it is refused: "its <what> in the zone is another"

      Examples:
        | what           | weight | ttl | check                    | value     |
        | routing policy | 2      | 60  |                          | 192.0.2.1 |
        | TTL            | 1      | 61  |                          | 192.0.2.1 |
        | health check   | 1      | 60  | "HealthCheckId": "hc-1", | 192.0.2.1 |
        | list of values | 1      | 60  |                          | 192.0.2.9 |

    Scenario: It is deleted as it is
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "DELETE", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "A", "SetIdentifier": "a", "Weight": 1, "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is accepted
      When many clients ask for A "www"
      Then the answer is 192.0.2.2

    Scenario: It is deleted twice in one batch
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "DELETE", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "A", "SetIdentifier": "a", "Weight": 1, "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}},
          {"Action": "DELETE", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "A", "SetIdentifier": "a", "Weight": 1, "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is refused: "deletes www.example.com. A `a` twice"

    Scenario: What is not there is deleted
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "DELETE", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "A", "SetIdentifier": "c", "Weight": 1, "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is refused: "is not in the zone"

  @R53-223
  Rule: The policy of a group changes in one batch
    GitHub issue, hashicorp/terraform-provider-aws#15622
    GitHub issue, kubernetes-sigs/external-dns#4345

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing  | id | values    |
        | www  | weight 1 | a  | 192.0.2.1 |
        | www  | weight 1 | b  | 192.0.2.2 |

    Scenario: The whole group changes
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "DELETE", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "A", "SetIdentifier": "a", "Weight": 1, "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}},
          {"Action": "DELETE", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "A", "SetIdentifier": "b", "Weight": 1, "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.2"}]}},
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "A", "SetIdentifier": "a", "Region": "sa-east-1", "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is accepted

    Scenario: A part of the group changes
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "DELETE", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "A", "SetIdentifier": "a", "Weight": 1, "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}},
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "A", "SetIdentifier": "a", "Region": "sa-east-1", "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is refused: "R53-221"

  @R53-225
  Rule: A set identifier stands once in its group
    badmintoncryer/cdk-preflight, rule pf-route53, set-identifier-unique-in-group

    Scenario: Twice in one batch
      Given the zone "example.com" with the record sets:
        | name | ttl |
        | www  | 60  |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "a", "Weight": 1, "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.1"}]}},
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "api.example.com", "Type": "A", "SetIdentifier": "a", "Weight": 2, "TTL": 60,
            "ResourceRecords": [{"Value": "192.0.2.2"}]}}
        ]}
        """
      Then it is refused: "R53-225"

  @R53-227
  Rule: A failover group has one primary and one secondary
    GitHub issue, boto/boto3#1347
    Values specific for failover records

    Scenario Outline: A second <role>
      Given the zone "example.com" with the record sets:
        | name | routing            | id | health check |
        | www  | failover primary   | p  | hc-p         |
        | www  | failover secondary | s  |              |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "CREATE", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "A", "SetIdentifier": "x", "Failover": "<role>",
            "HealthCheckId": "hc-x", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}}
        ]}
        """
      Then it is refused: "R53-227"

      Examples:
        | role      |
        | PRIMARY   |
        | SECONDARY |

    Scenario: The roles are swapped in one batch
      Given the zone "example.com" with the record sets:
        | name | routing            | id | health check | values    |
        | www  | failover primary   | a  | hc-a         | 192.0.2.1 |
        | www  | failover secondary | b  | hc-b         | 192.0.2.2 |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "UPSERT", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "A", "SetIdentifier": "a", "Failover": "SECONDARY",
            "HealthCheckId": "hc-a", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}},
          {"Action": "UPSERT", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "A", "SetIdentifier": "b", "Failover": "PRIMARY",
            "HealthCheckId": "hc-b", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.2"}]}}
        ]}
        """
      Then it is accepted
      When a client asks for A "www"
      Then the answer is b

    Scenario: The roles are swapped one by one
      Given the zone "example.com" with the record sets:
        | name | routing            | id | health check | values    |
        | www  | failover primary   | a  | hc-a         | 192.0.2.1 |
        | www  | failover secondary | b  | hc-b         | 192.0.2.2 |
      When the change batch is submitted:
        """
        {"Changes": [
          {"Action": "UPSERT", "ResourceRecordSet": {
            "Name": "www.example.com", "Type": "A", "SetIdentifier": "b", "Failover": "PRIMARY",
            "HealthCheckId": "hc-b", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.2"}]}}
        ]}
        """
      Then it is refused: "R53-227"

  @R53-108
  Rule: A record must name a health check that exists
    Route 53 API Reference, ChangeResourceRecordSets, errors

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing  | id | health check | ttl |
        | www  | weight 1 | a  | hc-a         | 60  |
      And the health check "hc-b" is created:
        """
        { cell: east, http: / }
        """

    Scenario Outline: The health check <id>
      When the change batch is submitted:
        """
        {"Changes": [{"Action": "CREATE", "ResourceRecordSet": {
          "Name": "www.example.com", "Type": "A", "SetIdentifier": "b", "Weight": 1, "HealthCheckId": "<id>",
          "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.9"}]}}]}
        """
      Then it is <taken>

      Examples:
        | id   | taken                                                   |
        | hc-a | accepted                                                |
        | hc-b | accepted                                                |
        | hc-c | refused: "health check `hc-c` is not defined (R53-108)" |

  @R53-107
  Rule: A record whose health check was deleted has no predictable status
    Creating, updating, and deleting health checks
    Route 53 API Reference, DeleteHealthCheck

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing  | id | health check | ttl | values    |
        | www  | weight 1 | a  | hc-a         | 60  | 192.0.2.1 |
        | www  | weight 1 | b  |              | 60  | 192.0.2.2 |
      And the health check "hc-a" is unhealthy

    Scenario: A health check in use can be deleted
      When the health check "hc-a" is deleted
      Then it is accepted
      And the health check "hc-a" is not predictable

    Scenario: Nothing new can name it
      When the health check "hc-a" is deleted
      And the change batch is submitted:
        """
        {"Changes": [{"Action": "CREATE", "ResourceRecordSet": {
          "Name": "www.example.com", "Type": "A", "SetIdentifier": "c", "Weight": 1, "HealthCheckId": "hc-a",
          "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.9"}]}}]}
        """
      Then it is refused: "health check `hc-a` is not defined (R53-108)"

    Scenario: Without it the record set is a candidate whatever happens
      When the health check "hc-a" is deleted
      And the change batch is submitted:
        """
        {"Changes": [{"Action": "UPSERT", "ResourceRecordSet": {
          "Name": "www.example.com", "Type": "A", "SetIdentifier": "a", "Weight": 1,
          "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}}]}
        """
      Then it is accepted
      When many clients ask for A "www"
      Then the answers are shared:
        | answer | share |
        | a      | 1/2   |
        | b      | 1/2   |
