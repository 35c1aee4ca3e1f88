@mission @drill @docker
Feature: A queue is so empty that its metric vanishes

  Nothing is wrong with the region; only nobody uses its queue.

  @R53-204 @R53-142
  Rule: A queue that nobody uses publishes nothing, and insufficient data are what the health check says they are

    CloudWatch metrics for Amazon SQS; Monitoring a CloudWatch alarm.

    @fault
    Scenario: The metric of sa-east-1 vanishes, and a sound region is drained
      When the drill "../../drills/mission/vanished-metric.yaml" runs
      Then the drill passes
      And the failover took at most:
        | stage    | of         | time |
        | resolver | br-unbound | 74 s |
        | resolver | br-bind    | 74 s |
      And the drill stays inside its predictions

    @control
    Scenario: Without the fault nothing of it is seen
      When the control of the drill "../../drills/mission/vanished-metric.yaml" runs
      Then the drill fails
