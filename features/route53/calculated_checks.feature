@route53 @evidence
Feature: Calculated health checks
  A calculated health check counts the healthy ones among other health checks.

  @R53-128
  Rule: A calculated check is healthy when enough of its children are
    How Amazon Route 53 determines whether a health check is healthy
    HealthCheckConfig

    Scenario Outline: <healthy> of 5 children are healthy, <threshold> are asked for
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check |
        | www  | failover primary   | primary   | all          |
        | www  | failover secondary | secondary |              |
      And the health check "all" is created:
        | setting   | value       |
        | children  | 5           |
        | threshold | <threshold> |
      When <healthy> of the children of "all" are healthy
      Then the health check "all" is <status>
      When a client asks for A "www"
      Then the answer is <answer>

      Examples:
        | threshold | healthy | status    | answer    |
        | 1         | 0       | unhealthy | secondary |
        | 1         | 1       | healthy   | primary   |
        | 2         | 1       | unhealthy | secondary |
        | 2         | 2       | healthy   | primary   |
        | 3         | 2       | unhealthy | secondary |
        | 3         | 3       | healthy   | primary   |
        | 3         | 5       | healthy   | primary   |
        | 5         | 4       | unhealthy | secondary |
        | 5         | 5       | healthy   | primary   |

    Scenario: It turns with the child that turns it, not later
      Given the health check "hc-app" is created:
        """
        cell: east
        http: /health
        interval: 10s
        """
      And the health check "hc-db" is created:
        """
        cell: east
        tcp: 80
        interval: 10s
        """
      And the health check "region" is created:
        """
        calculated: [hc-app, hc-db]
        healthy-threshold: 2
        """
      When the endpoint of "hc-app" refuses connections
      Then the health check "region" turns unhealthy between 20 s and 30 s later
      And the health check "hc-app" is unhealthy
      When the endpoint of "hc-app" recovers
      Then the health check "region" turns healthy between 20 s and 30 s later

  @R53-129
  Rule: All children, or any one, are thresholds too
    Values that you specify when you create or update health checks

    Scenario Outline: <what>: <healthy> of 3 children are healthy
      Given the health check "all" is created:
        | setting   | value       |
        | children  | 3           |
        | threshold | <threshold> |
      When <healthy> of the children of "all" are healthy
      Then the health check "all" is <status>

      Examples:
        | what | threshold | healthy | status    |
        | AND  | 3         | 3       | healthy   |
        | AND  | 3         | 2       | unhealthy |
        | AND  | 3         | 0       | unhealthy |
        | OR   | 1         | 3       | healthy   |
        | OR   | 1         | 1       | healthy   |
        | OR   | 1         | 0       | unhealthy |

  @R53-130
  Rule: A threshold above the number of children is never met
    Values that you specify when you create or update health checks

    Scenario Outline: <healthy> of 3 children are healthy, 4 are asked for
      Given the health check "all" is created:
        | setting   | value |
        | children  | 3     |
        | threshold | 4     |
      When <healthy> of the children of "all" are healthy
      Then the health check "all" is unhealthy

      Examples:
        | healthy |
        | 0       |
        | 3       |

  @R53-131
  Rule: A threshold of 0 is always met
    Values that you specify when you create or update health checks

    Scenario Outline: <healthy> of 3 children are healthy, none is asked for
      Given the health check "all" is created:
        | setting   | value |
        | children  | 3     |
        | threshold | 0     |
      When <healthy> of the children of "all" are healthy
      Then the health check "all" is healthy

      Examples:
        | healthy |
        | 0       |
        | 1       |
        | 3       |

  @R53-132
  Rule: A calculated check needs its threshold spelled out
    hashicorp/terraform-provider-aws issue 44004

    Background:
      Given the health check "hc-app" is created:
        """
        cell: east
        http: /health
        """

    Scenario: The threshold is left out
      When the health check "all" is created:
        """
        calculated: [hc-app]
        """
      Then it is refused: "R53-132"

    Scenario: It is 0, and says so
      When the health check "all" is created:
        """
        calculated: [hc-app]
        healthy-threshold: 0
        """
      Then it is accepted

  @R53-133
  Rule: A calculated check is no child of another
    Values that you specify when you create or update health checks

    Scenario: A calculated child
      Given the health check "region" is created:
        | setting   | value |
        | children  | 2     |
        | threshold | 1     |
      When the health check "world" is created:
        """
        calculated: [region-1, region]
        healthy-threshold: 1
        """
      Then it is refused: "child `region` is calculated itself"

    Scenario: The children of that check, named themselves
      Given the health check "region" is created:
        | setting   | value |
        | children  | 2     |
        | threshold | 1     |
      When the health check "world" is created:
        """
        calculated: [region-1, region-2]
        healthy-threshold: 1
        """
      Then it is accepted

  @R53-134
  Rule: A calculated check has 255 children at most
    Quotas on health checks
    How Amazon Route 53 determines whether a health check is healthy

    Scenario: 255 children
      When the health check "all" is created:
        | setting   | value |
        | children  | 255   |
        | threshold | 255   |
      Then it is accepted
      When 254 of the children of "all" are healthy
      Then the health check "all" is unhealthy
      When 255 of the children of "all" are healthy
      Then the health check "all" is healthy

    Scenario: 256 children
      When the health check "all" is created:
        | setting   | value |
        | children  | 256   |
        | threshold | 1     |
      Then it is refused: "256 children are not possible"

  @R53-135 @R53-136
  Rule: A disabled or inverted child counts with the status that it shows
    Values that you specify when you create or update health checks

    Scenario Outline: A child whose endpoint <endpoint>, inverted: <inverted>, disabled: <disabled>
      Given the health check "child" is created:
        """
        cell: east
        http: /health
        interval: 10s
        inverted: <inverted>
        disabled: <disabled>
        """
      And the health check "all" is created:
        """
        calculated: [child]
        healthy-threshold: 1
        """
      And the endpoint of "child" <endpoint>
      When 60 s pass
      Then the health check "all" is <status>

      Examples:
        | endpoint            | inverted | disabled | status    |
        | refuses connections | false    | false    | unhealthy |
        | refuses connections | false    | true     | healthy   |
        | refuses connections | true     | true     | unhealthy |
        | refuses connections | true     | false    | healthy   |
        | recovers            | false    | true     | healthy   |
        | recovers            | true     | true     | unhealthy |
        | recovers            | true     | false    | unhealthy |

    Scenario: A region is drained by hand: a disabled child is inverted
      Given the zone "example.com" with the record sets:
        | name | routing            | id   | health check |
        | www  | failover primary   | east | region-east  |
        | www  | failover secondary | west |              |
      And the health check "app" is created:
        """
        cell: east
        http: /health
        """
      And the health check "drain" is created:
        """
        cell: east
        http: /health
        disabled: true
        """
      And the health check "region-east" is created:
        """
        calculated: [app, drain]
        healthy-threshold: 2
        """
      When a client asks for A "www"
      Then the answer is east
      When the health check "drain" is inverted
      Then the health check "region-east" is unhealthy
      When a client asks for A "www"
      Then the answer is west
      When the health check "drain" is no longer inverted
      And a client asks for A "www"
      Then the answer is east

    Scenario Outline: The calculated check itself, inverted: <inverted>, disabled: <disabled>, its only child <child>
      Given the health check "child" is created:
        """
        cell: east
        http: /health
        """
      And the health check "all" is created:
        """
        calculated: [child]
        healthy-threshold: 1
        inverted: <inverted>
        disabled: <disabled>
        """
      When the health check "child" is <child>
      Then the health check "all" is <status>

      Examples:
        | child     | inverted | disabled | status    |
        | healthy   | true     | false    | unhealthy |
        | unhealthy | true     | false    | healthy   |
        | unhealthy | false    | true     | healthy   |
        | healthy   | true     | true     | unhealthy |

  @R53-137
  Rule: Every child of a calculated check exists
    Error texts of cfn-lint's health check rules

    Scenario: A child that nobody created
      Given the health check "hc-app" is created:
        """
        cell: east
        http: /health
        """
      When the health check "all" is created:
        """
        calculated: [hc-app, hc-ap]
        healthy-threshold: 1
        """
      Then it is refused: "child `hc-ap` does not exist"

  @R53-138
  Rule: A calculated check has nothing of a probe
    Error texts of cfn-lint's health check rules
    hashicorp/terraform-provider-aws issue 20455

    Scenario Outline: A calculated check with <setting>
      Given the health check "hc-app" is created:
        """
        cell: east
        http: /health
        """
      When the health check "all" is created:
        """
        calculated: [hc-app]
        healthy-threshold: 1
        <setting>
        """
      Then it is refused: "R53-138"

      Examples:
        | setting              |
        | cell: east           |
        | port: 80             |
        | host: example.com    |
        | name: example.com    |
        | contains: ready      |
        | interval: 10s        |
        | failure-threshold: 3 |

  @R53-246
  Rule: A health check has the settings of its kind and no others
    CreateHealthCheck
    HealthCheckConfig

    Scenario Outline: <kind> with <setting>
      Given the routing controls "east" are on, and at least 0 must stay on
      When the health check "hc" is created:
        """
        <kind>
        <setting>
        """
      Then it is refused: "<why>"

      Examples:
        | kind                            | setting                    | why                          |
        | { cell: east, tcp: 80,          | contains: ready }          | `contains`                   |
        | { cell: east, tcp: 80,          | host: example.com }        | `host`                       |
        | { cell: east, http: /,          | sni: true }                | `sni`                        |
        | { cell: east, http: /,          | healthy-threshold: 1 }     | `healthy-threshold`          |
        | { cell: east, http: /,          | https: / }                 | exactly one                  |
        | { cell: east, http: /,          | routing-control: east }    | exactly one                  |
        | { routing-control: east,        | healthy-threshold: 1 }     | `healthy-threshold`          |
