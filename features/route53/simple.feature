@route53 @simple
Feature: Simple routing
  A simple record has no policy and no health of its own. As an alias inside a tree it passes health on, or hides it.

  @R53-14
  Rule: A simple record answers with all its values, in random order
    Simple routing

    Background:
      Given the zone "example.com" with the record sets:
        | name | values                          |
        | www  | 192.0.2.1, 192.0.2.2, 192.0.2.3 |
        | one  | 192.0.2.9                       |

    Scenario: All values are answered
      When many clients ask for A "www"
      Then the answer is 192.0.2.1, 192.0.2.2, 192.0.2.3
      And 3 of the values are answered

    Scenario: Their order is random
      When a client asks for A "www"
      Then the answers come in random order

    Scenario: A single value
      When a client asks for A "one"
      Then the answer is 192.0.2.9

    Scenario: More than eight values are all answered
      Given the zone "example.com" with the record sets:
        | name | values                                                                                                        |
        | www  | 192.0.2.1, 192.0.2.2, 192.0.2.3, 192.0.2.4, 192.0.2.5, 192.0.2.6, 192.0.2.7, 192.0.2.8, 192.0.2.9, 192.0.2.10 |
      When a client asks for A "www"
      Then 10 of the values are answered

  @R53-16
  Rule: A lone simple alias answers whatever the health of its target
    Values specific for simple alias records

    Scenario Outline: A lone alias that says <evaluates> and whose load balancer is <status>
      Given the zone "example.com" with the record sets:
        | name | alias to                                | evaluate target health |
        | www  | balancer-1.us-east-1.elb.amazonaws.com. | <evaluates>            |
      And the resource "balancer-1.us-east-1.elb.amazonaws.com." is <status>
      When a client asks for A "www"
      Then the answer is balancer-1.us-east-1.elb.amazonaws.com.

      Examples:
        | evaluates | status    |
        | yes       | healthy   |
        | yes       | unhealthy |
        | no        | healthy   |
        | no        | unhealthy |

  @R53-17
  Rule: A simple alias that evaluates its target passes that health up to its parent
    Route 53 API Reference, AliasTarget
    awslabs/route53-infima, README and code

    Background:
      Given the zone "example.com" with the record sets:
        | name   | routing            | id        | health check | alias to | evaluate target health |
        | www    | failover primary   | p         |              | middle   | yes                    |
        | www    | failover secondary | secondary | hc-s         |          |                        |
        | middle |                    |           |              | home     | yes                    |
        | home   | weight 1           | home-1    | hc-1         |          |                        |

    Scenario: The target of the target fails
      Given the health check "hc-1" is unhealthy
      When many clients ask for A "www"
      Then the answer is secondary

    Scenario: It is well
      When many clients ask for A "www"
      Then the answer is home-1

    Scenario: The switch says that a simple alias passes no health up
      Given the switch "simple alias passes health up" is off
      And the health check "hc-1" is unhealthy
      When many clients ask for A "www"
      Then the answer is home-1

  @R53-18
  Rule: A simple alias that does not evaluate its target hides a failure from its parent
    How health checks work in complex Amazon Route 53 configurations

    Scenario: The middle of the chain does not evaluate its target
      Given the zone "example.com" with the record sets:
        | name   | routing            | id        | health check | alias to | evaluate target health |
        | www    | failover primary   | p         |              | middle   | yes                    |
        | www    | failover secondary | secondary | hc-s         |          |                        |
        | middle |                    |           |              | home     | no                     |
        | home   | weight 1           | home-1    | hc-1         |          |                        |
      And the health check "hc-1" is unhealthy
      When many clients ask for A "www"
      Then the answer is home-1
      And secondary is never answered

  @R53-19
  Rule: A parent of a simple record with values is always healthy
    Simple routing
    How Amazon Route 53 chooses records when health checking is configured

    Scenario: Nothing can make the leaf unhealthy
      Given the zone "example.com" with the record sets:
        | name  | routing            | id        | health check | alias to | evaluate target health |
        | www   | failover primary   | p         |              | home     | yes                    |
        | www   | failover secondary | secondary | hc-s         |          |                        |
        | home  |                    |           |              |          |                        |
        | other | weight 1           | other-1   | hc-other     |          |                        |
      And the health check "hc-other" is unhealthy
      When many clients ask for A "www"
      Then secondary is never answered
      And 1 of the values is answered
