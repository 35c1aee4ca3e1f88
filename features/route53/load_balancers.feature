@route53 @evidence
Feature: What evaluate target health sees of a load balancer
  An alias with evaluate target health takes the status of the load balancer that it points at.

  Background:
    Given the zone "example.com" with the record sets:
      | name | routing            | id    | alias to         | evaluate target health |
      | www  | failover primary   | lb    | alb.example.net. | yes                    |
      | www  | failover secondary | spare |                  |                        |

  @R53-157
  Rule: A Classic Load Balancer without a healthy instance is unhealthy
    Values specific for failover alias records

    Scenario Outline: <instances> healthy instances, its nodes <reach>
      Given the Classic Load Balancer "alb.example.net." has <instances> healthy instances
      And the nodes of the load balancer "alb.example.net." are <reach>
      Then the load balancer "alb.example.net." is <status>
      When a client asks for A "www"
      Then the answer is <answer>

      Examples:
        | instances | reach        | status    | answer           |
        | 0         | within reach | unhealthy | spare            |
        | 1         | within reach | healthy   | alb.example.net. |
        | 3         | within reach | healthy   | alb.example.net. |
        | 3         | out of reach | unhealthy | spare            |

  @R53-158
  Rule: A load balancer is healthy while each of its target groups with targets has a healthy one
    Values specific for weighted alias records
    AliasTarget

    Scenario Outline: <web> of 2 web targets are healthy, <api> of 2 api targets
      Given the load balancer "alb.example.net.", cross-zone load balancing on, has the targets:
        | target group | zone | healthy | registered |
        | web          | a    | <web>   | 2          |
        | api          | a    | <api>   | 2          |
      Then the load balancer "alb.example.net." is <status>
      When a client asks for A "www"
      Then the answer is <answer>

      Examples:
        | web | api | status    | answer           |
        | 2   | 2   | healthy   | alb.example.net. |
        | 1   | 1   | healthy   | alb.example.net. |
        | 2   | 0   | unhealthy | spare            |
        | 0   | 2   | unhealthy | spare            |
        | 0   | 0   | unhealthy | spare            |

    Scenario: One bad target group takes every name on the load balancer away
      Given the zone "example.com" with the record sets:
        | name  | routing            | id      | alias to         | evaluate target health |
        | www   | failover primary   | www-lb  | alb.example.net. | yes                    |
        | www   | failover secondary | www-s   |                  |                        |
        | api   | failover primary   | api-lb  | alb.example.net. | yes                    |
        | api   | failover secondary | api-s   |                  |                        |
      And the load balancer "alb.example.net.", cross-zone load balancing on, has the targets:
        | target group | zone | healthy | registered |
        | web          | a    | 2       | 2          |
        | api          | a    | 0       | 2          |
      When a client asks for A "www"
      Then the answer is www-s
      When a client asks for A "api"
      Then the answer is api-s

    Scenario: The targets are checked: 2 failures in a row, one check every 15 s
      Given the load balancer "alb.example.net." checks 2 targets every 15 s
      Then the load balancer "alb.example.net." is healthy
      When 1 of the targets of "alb.example.net." pass their checks
      And 60 s pass
      Then the load balancer "alb.example.net." is healthy
      When 0 of the targets of "alb.example.net." pass their checks
      Then the load balancer "alb.example.net." turns unhealthy between 15 s and 30 s later
      When a client asks for A "www"
      Then the answer is spare
      When 2 of the targets of "alb.example.net." pass their checks
      Then the load balancer "alb.example.net." turns healthy between 60 s and 75 s later
      When a client asks for A "www"
      Then the answer is alb.example.net.

  @R53-159
  Rule: A target group without targets counts as unhealthy
    Values specific for weighted alias records

    Scenario: A second target group is empty
      Given the load balancer "alb.example.net.", cross-zone load balancing on, has the targets:
        | target group | zone | healthy | registered |
        | web          | a    | 2       | 2          |
        | new          |      |         |            |
      Then the load balancer "alb.example.net." is unhealthy
      When a client asks for A "www"
      Then the answer is spare

    Scenario: Its only target group is empty
      Given the load balancer "alb.example.net.", cross-zone load balancing on, has the targets:
        | target group | zone | healthy | registered |
        | web          | a    | 0       | 0          |
      Then the load balancer "alb.example.net." is unhealthy

  @R53-160
  Rule: A target group below its DNS failover minimum makes its zone unhealthy
    Target group health
    Target group attributes

    Scenario Outline: <healthy> of <registered> targets, minimum <count>, <percent> %
      Given the load balancer "alb.example.net.", cross-zone load balancing on, has the targets:
        | target group | zone | healthy   | registered   | minimum | minimum % |
        | web          | a    | <healthy> | <registered> | <count> | <percent> |
      Then the load balancer "alb.example.net." is <status>
      When a client asks for A "www"
      Then the answer is <answer>

      Examples: The default is one target
        | healthy | registered | count | percent | status    | answer           |
        | 1       | 10         |       |         | healthy   | alb.example.net. |
        | 0       | 10         |       |         | unhealthy | spare            |

      Examples: A count
        | healthy | registered | count | percent | status    | answer           |
        | 3       | 10         | 3     |         | healthy   | alb.example.net. |
        | 2       | 10         | 3     |         | unhealthy | spare            |

      Examples: A percentage
        | healthy | registered | count | percent | status    | answer           |
        | 5       | 10         | off   | 50      | healthy   | alb.example.net. |
        | 4       | 10         | off   | 50      | unhealthy | spare            |
        | 4       | 10         |       | 50      | unhealthy | spare            |

      Examples: Either breach is enough
        | healthy | registered | count | percent | status    | answer           |
        | 5       | 10         | 6     | 50      | unhealthy | spare            |
        | 5       | 10         | 5     | 60      | unhealthy | spare            |
        | 6       | 10         | 5     | 60      | healthy   | alb.example.net. |

  @R53-161
  Rule: Without cross-zone balancing each zone meets the minimums by itself
    Target group health
    Cross-zone load balancing

    Scenario Outline: <a> healthy in zone a, <b> in zone b, the minimum is 2
      Given the load balancer "alb.example.net.", cross-zone load balancing off, has the targets:
        | target group | zone | healthy | registered | minimum |
        | web          | a    | <a>     | 4          | 2       |
        | web          | b    | <b>     | 4          | 2       |
      Then the load balancer "alb.example.net." answers with the zones <zones>
      And the load balancer "alb.example.net." is <status>
      When a client asks for A "www"
      Then the answer is <answer>

      Examples:
        | a | b | zones | status    | answer           |
        | 2 | 2 | a, b  | healthy   | alb.example.net. |
        | 2 | 1 | a     | healthy   | alb.example.net. |
        | 1 | 2 | b     | healthy   | alb.example.net. |
        | 1 | 1 | a, b  | unhealthy | spare            |

    Scenario: Every target group counts in every zone
      Given the load balancer "alb.example.net.", cross-zone load balancing off, has the targets:
        | target group | zone | healthy | registered |
        | web          | a    | 1       | 1          |
        | web          | b    | 1       | 1          |
        | api          | a    | 1       | 1          |
        | api          | b    | 0       | 1          |
      Then the load balancer "alb.example.net." answers with the zones a
      And the load balancer "alb.example.net." is healthy

  @R53-162
  Rule: With cross-zone balancing all zones meet the minimums together
    Target group health
    Cross-zone load balancing

    Scenario Outline: <a> healthy in zone a, <b> in zone b, the minimum is 2
      Given the load balancer "alb.example.net.", cross-zone load balancing on, has the targets:
        | target group | zone | healthy | registered | minimum |
        | web          | a    | <a>     | 4          | 2       |
        | web          | b    | <b>     | 4          | 2       |
      Then the load balancer "alb.example.net." answers with the zones a, b
      And the load balancer "alb.example.net." is <status>
      When a client asks for A "www"
      Then the answer is <answer>

      Examples:
        | a | b | status    | answer           |
        | 1 | 1 | healthy   | alb.example.net. |
        | 2 | 0 | healthy   | alb.example.net. |
        | 1 | 0 | unhealthy | spare            |
        | 0 | 0 | unhealthy | spare            |

  @R53-163
  Rule: A load balancer answers with its healthy zones
    Health checks for your target groups
    Target group health

    Scenario: One of three zones is unhealthy
      Given the load balancer "alb.example.net.", cross-zone load balancing off, has the targets:
        | target group | zone | healthy | registered |
        | web          | a    | 1       | 2          |
        | web          | b    | 0       | 2          |
        | web          | c    | 2       | 2          |
      Then the load balancer "alb.example.net." answers with the zones a, c
      And the load balancer "alb.example.net." is healthy
      When a client asks for A "www"
      Then the answer is alb.example.net.

  @R53-164
  Rule: A load balancer without a healthy zone answers with all of them
    Target group health

    Scenario: No zone is healthy: its own name fails open, and evaluate target health does not
      Given the load balancer "alb.example.net.", cross-zone load balancing off, has the targets:
        | target group | zone | healthy | registered |
        | web          | a    | 0       | 2          |
        | web          | b    | 0       | 2          |
      Then the load balancer "alb.example.net." answers with the zones a, b
      And the load balancer "alb.example.net." is unhealthy
      When a client asks for A "www"
      Then the answer is spare

  @R53-165
  Rule: A load balancer without a healthy target still forwards to all
    Health checks for your target groups

    Scenario: All targets fail: requests still reach them, while DNS leaves
      Given the load balancer "alb.example.net." checks 3 targets every 15 s
      When 1 of the targets of "alb.example.net." pass their checks
      And 60 s pass
      Then the load balancer "alb.example.net." forwards to 1 targets
      When 0 of the targets of "alb.example.net." pass their checks
      And 60 s pass
      Then the load balancer "alb.example.net." forwards to 3 targets
      And the load balancer "alb.example.net." is unhealthy
      When a client asks for A "www"
      Then the answer is spare

  @R53-166
  Rule: A load balancer whose nodes cannot be reached is unhealthy
    Amazon Route 53 Adds ELB Integration for DNS Failover
    Values specific for failover alias records

    Scenario: All its targets are healthy
      Given the load balancer "alb.example.net.", cross-zone load balancing on, has the targets:
        | target group | zone | healthy | registered |
        | web          | a    | 2       | 2          |
      When the nodes of the load balancer "alb.example.net." are out of reach
      Then the load balancer "alb.example.net." is unhealthy
      When a client asks for A "www"
      Then the answer is spare
      When the nodes of the load balancer "alb.example.net." are within reach
      And a client asks for A "www"
      Then the answer is alb.example.net.

  @R53-167
  Rule: A Lambda target group has no failover minimums
    Target group health
    Lambda functions as targets

    Scenario Outline: The function is <function>
      Given the load balancer "alb.example.net.", cross-zone load balancing on, has the targets:
        | target group | zone | healthy | registered | function   |
        | web          | a    | 2       | 2          |            |
        | function     |      |         |            | <function> |
      Then the load balancer "alb.example.net." is <status>
      When a client asks for A "www"
      Then the answer is <answer>

      Examples:
        | function  | status    | answer           |
        | unchecked | healthy   | alb.example.net. |
        | healthy   | healthy   | alb.example.net. |
        | unhealthy | unhealthy | spare            |
