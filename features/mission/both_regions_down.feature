@mission @drill @docker
Feature: Both regions are down

  What is left is a page that says so.

  @R53-86 @R53-93
  Rule: With both regions gone the name is answered with what stands behind them

    How Amazon Route 53 chooses records in complex configurations.

    @fault
    Scenario: sa-east-1 and us-east-1 are gone
      When the drill "../../drills/mission/both-regions-gone.yaml" runs
      Then the drill passes
      And the failover took at most:
        | stage         | of         | time  |
        | detection     |            | 23 s  |
        | authoritative |            | 4 s   |
        | resolver      | br-unbound | 72 s  |
        | resolver      | br-bind    | 72 s  |
        | resolver      | br-pdns    | 72 s  |
        | total         | curl       | 100 s |
        | total         | jvm        | 135 s |
        | total         | go         | 100 s |
      And the drill stays inside its predictions

    @control
    Scenario: Without the fault nothing of it is seen
      When the control of the drill "../../drills/mission/both-regions-gone.yaml" runs
      Then the drill fails
