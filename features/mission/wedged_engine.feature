@mission @drill @docker
Feature: An engine accepts requests and never answers

  Its port is open and its own health page is green; only who asks it for an answer notices.

  @R53-122 @R53-127
  Rule: A wedged engine is left when three probes have waited for nothing, and three checks have been told so

    Determining whether a health check is healthy.

    @fault
    Scenario: The engine of the primary region is wedged
      When the drill "../../drills/mission/wedged-behind-resolvers.yaml" runs
      Then the drill passes
      And the failover took at most:
        | stage         | of      | time  |
        | detection     |         | 63 s  |
        | authoritative |         | 4 s   |
        | resolver      | unbound | 72 s  |
        | resolver      | bind    | 72 s  |
        | resolver      | pdns    | 72 s  |
        | total         | web     | 140 s |
        | total         | gateway | 200 s |
      And the drill stays inside its predictions

    @control
    Scenario: Without the fault nothing of it is seen
      When the control of the drill "../../drills/mission/wedged-behind-resolvers.yaml" runs
      Then the drill fails

    @pause @fault
    Scenario: Its process is stopped, so that its own health page says nothing either
      When the drill "../../drills/frozen-engine.yaml" runs
      Then the drill passes
      And the drill stays inside its predictions

    @toxiproxy @fault
    Scenario: A Toxiproxy on the way to it lets connections open and no byte through
      When the drill "../../drills/stalled-engine.yaml" runs
      Then the drill passes
      And the drill stays inside its predictions

    @control
    Scenario: Without the toxic nothing of it is seen
      When the control of the drill "../../drills/stalled-engine.yaml" runs
      Then the drill fails

    @control
    Scenario: Without the stop nothing of it is seen
      When the control of the drill "../../drills/frozen-engine.yaml" runs
      Then the drill fails

    @throttle @fault
    Scenario: It is left next to no CPU, so that its port accepts and no answer comes in time
      When the drill "../../drills/throttled-engine.yaml" runs
      Then the drill passes
      And the drill stays inside its predictions

    @control
    Scenario: Without the limit nothing of it is seen
      When the control of the drill "../../drills/throttled-engine.yaml" runs
      Then the drill fails
