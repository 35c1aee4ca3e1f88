@route53 @evidence
Feature: Health checks on routing controls
  An operator's switch is the evidence: nothing is probed.

  Background:
    Given the routing controls "east", "west" are on, and at least 0 must stay on
    And the health check "hc-east" is created:
      """
      routing-control: east
      """
    And the health check "hc-west" is created:
      """
      routing-control: west
      """

  @R53-154
  Rule: A routing control that is on is healthy, one that is off is not
    HealthCheckConfig

    Scenario: The switch decides, at once
      Given the zone "example.com" with the record sets:
        | name | routing            | id   | health check |
        | www  | failover primary   | east | hc-east      |
        | www  | failover secondary | west | hc-west      |
      When a client asks for A "www"
      Then the answer is east
      When an operator turns "east" off
      Then it is accepted
      And the health check "hc-east" is unhealthy
      And the health check "hc-west" is healthy
      When a client asks for A "www"
      Then the answer is west
      When an operator turns "east" on
      Then the health check "hc-east" is healthy
      When a client asks for A "www"
      Then the answer is east

    Scenario Outline: The control is <turn>, the health check <change>
      Given the zone "example.com" with the record sets:
        | name | routing            | id   | health check |
        | www  | failover primary   | east | hc-east      |
        | www  | failover secondary | west |              |
      When the health check "hc-east" is <change>
      And an operator turns "east" <turn>
      Then the health check "hc-east" is <status>
      When a client asks for A "www"
      Then the answer is <answer>

      Examples:
        | turn | change   | status    | answer |
        | on   | inverted | unhealthy | west   |
        | off  | inverted | healthy   | east   |
        | off  | disabled | healthy   | east   |

    Scenario: A control that there is not
      When an operator turns "eats" off
      Then it is refused: "did you mean `east`?"

  @R53-155
  Rule: A check on a routing control has nothing of a probe
    HealthCheckConfig
    Error texts of cfn-lint's health check rules

    Scenario Outline: A check on a routing control with <setting>
      When the health check "hc-third" is created:
        """
        routing-control: east
        <setting>
        """
      Then it is refused: "R53-155"

      Examples:
        | setting              |
        | interval: 10s        |
        | failure-threshold: 3 |
        | port: 80             |
        | cell: east           |

    Scenario: A control that does not exist
      When the health check "hc-third" is created:
        """
        routing-control: north
        """
      Then it is refused: "unknown routing control `north`"

  @R53-156
  Rule: Two routing controls that are off leave the last resort, not silence
    How Amazon Route 53 averts failover problems

    Scenario: Both controls of a failover pair are off: the primary is answered
      Given the zone "example.com" with the record sets:
        | name | routing            | id   | health check |
        | www  | failover primary   | east | hc-east      |
        | www  | failover secondary | west | hc-west      |
      When an operator turns "east" off
      And an operator turns "west" off
      Then it is accepted
      When a client asks for A "www"
      Then the answer is east
      And the answer is the last resort

    Scenario: Both controls of a weighted group are off: both are answered
      Given the zone "example.com" with the record sets:
        | name | routing  | id   | health check |
        | www  | weight 1 | east | hc-east      |
        | www  | weight 3 | west | hc-west      |
      When an operator turns "east" off
      And an operator turns "west" off
      And many clients ask for A "www"
      Then the answers are shared:
        | answer | share |
        | east   | 1/4   |
        | west   | 3/4   |
      And the answer is the last resort

    Scenario: Both controls of a latency group are off: the nearest is answered
      Given the zone "example.com" with the record sets:
        | name | routing           | id   | health check |
        | www  | latency us-east-1 | east | hc-east      |
        | www  | latency sa-east-1 | west | hc-west      |
      When an operator turns "east" off
      And an operator turns "west" off
      And a client in sa-east-1 asks for A "www"
      Then the answer is west
      And the answer is the last resort

    Scenario: A safety rule does not let the last one be turned off
      Given the routing controls "east", "west" are on, and at least 1 must stay on
      When an operator turns "east" off
      Then it is accepted
      When an operator turns "west" off
      Then it is refused: "the safety rule asks for at least 1"
      And the health check "hc-west" is healthy
      When an operator turns "east" on
      And an operator turns "west" off
      Then it is accepted
      And the health check "hc-west" is unhealthy
