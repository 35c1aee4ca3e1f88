@route53 @drill
Feature: Failures, walked through from the fault to the last client

  Each walk runs a drill of the `drills` folder and holds what was observed against what the drill's own settings allow,
  stage by stage. The control of every drill, the same run without its fault, must not pass.

  @R53-7 @R53-158
  Rule: A region whose database is dead is left one interval of target checks times two after the fault, and clients follow within a TTL

    Target group health; Values specific for failover alias records.

    Scenario: The database of sa-east-1 dies
      When the drill "../../drills/database-down.yaml" runs
      Then the drill passes
      And the failover is predicted as:
        | stage         | of       | best | worst |
        | detection     |          | 15 s | 30 s  |
        | authoritative |          | 0 s  | 0 s   |
        | resolver      | br       | 0 s  | 60 s  |
        | client        | br-fresh | 0 s  | 0 s   |
        | total         | br-fresh | 15 s | 90 s  |
      And the drill stays inside its predictions

    Scenario: Without the fault nothing of it is seen
      When the control of the drill "../../drills/database-down.yaml" runs
      Then the drill fails

  @R53-166
  Rule: A region that is gone is left as soon as its load balancer's own node is found gone

    Amazon Route 53 Adds ELB Integration for DNS Failover.

    Scenario: sa-east-1 is gone whole
      When the drill "../../drills/region-down.yaml" runs
      Then the drill passes
      And the failover is predicted as:
        | stage     | of       | best | worst |
        | detection |          | 10 s | 20 s  |
        | total     | br-fresh | 10 s | 80 s  |
        | total     | br-jvm   | 10 s | 110 s |
      And the drill stays inside its predictions

  @R53-163 @R53-160
  Rule: A zone without healthy targets is no longer answered, and a group below its minimum takes the region along

    Target group health.

    Scenario: One zone of two loses its targets
      When the drill "../../drills/zone-down.yaml" runs
      Then the drill passes

    Scenario: Too few healthy targets are left
      When the drill "../../drills/minimum-healthy.yaml" runs
      Then the drill passes

  @R53-86 @R53-93
  Rule: A tree whose regions are gone for the asker is left for its maintenance page, and elsewhere it is not left

    How health checks work in complex Amazon Route 53 configurations.

    Scenario: Two of three regions are gone
      When the drill "../../drills/both-regions-down.yaml" runs
      Then the drill passes
      And the failover is predicted as:
        | stage    | of       | best | worst |
        | resolver | br       | 0 s  | 60 s  |
        | resolver | us-floor | 0 s  | 120 s |
        | total    | us-web   | 10 s | 140 s |
      And the drill stays inside its predictions

  @R53-10 @R53-25
  Rule: With every region gone the name is still answered

    How Amazon Route 53 averts failover problems.

    Scenario: All of it is gone
      When the drill "../../drills/everything-down.yaml" runs
      Then the drill passes

  @R53-122 @R53-127
  Rule: An engine that refuses is detected within three probes and three checks

    Determining whether a health check is healthy.

    Scenario: The engine dies
      When the drill "../../drills/engine-down.yaml" runs
      Then the drill passes
      And the failover is predicted as:
        | stage     | of      | best | worst |
        | detection |         | 30 s | 45 s  |
        | total     | sdk     | 30 s | 105 s |
        | total     | gateway | 30 s | 165 s |
      And the drill stays inside its predictions

    Scenario: The engine accepts and never answers: every bad probe lasts its whole budget
      When the drill "../../drills/wedged-engine.yaml" runs
      Then the drill passes
      And the failover is predicted as:
        | stage     | of      | best   | worst |
        | detection |         | 41.5 s | 57 s  |
        | total     | gateway | 41.5 s | 177 s |
      And the drill stays inside its predictions

    Scenario: The same engine behind a check of its port is never left
      When the drill "../../drills/shallow-check.yaml" runs
      Then the drill passes

    Scenario: The checkers alone, of a region that is gone
      When the drill "../../drills/chat-region-down.yaml" runs
      Then the drill passes
      And the failover is predicted as:
        | stage     | of     | best | worst |
        | detection |        | 20 s | 30 s  |
        | client    | sdk    | 0 s  | 30 s  |
        | total     | batch  | 20 s | 150 s |
      And the drill stays inside its predictions

  @R53-204 @R53-142
  Rule: A queue that nobody uses has no metric, and what that means is what the health check was told

    Monitoring Amazon SQS queues using CloudWatch; Values that you specify when you create or update health checks.

    Scenario Outline: The queue falls quiet, and insufficient data mean <meaning>
      When the drill "../../drills/<drill>.yaml" runs
      Then the drill passes

      Examples:
        | drill                    | meaning                                   |
        | empty-queue              | unhealthy                                 |
        | empty-queue-healthy      | healthy                                   |
        | empty-queue-last-known   | the last known status, which is healthy   |
        | deleted-queue-last-known | the last known status, which is unhealthy |

    Scenario: An unhealthy reading of no data drains a sound region
      When the drill "../../drills/empty-queue.yaml" runs
      Then the failover is predicted as:
        | stage     | of     | best  | worst |
        | detection |        | 300 s | 420 s |
        | total     | br-web | 300 s | 480 s |
      And the drill stays inside its predictions

  Rule: Every ready drill passes, and its control does not

    Scenario Outline: <drill>
      When the drill "../../drills/<drill>.yaml" runs
      Then the drill passes
      When the control of the drill "../../drills/<drill>.yaml" runs
      Then the drill fails

      Examples:
        | drill                    |
        | both-regions-down        |
        | branch-name-probe        |
        | chat-region-down         |
        | checkers-locked-out      |
        | database-down            |
        | deleted-queue-last-known |
        | empty-queue              |
        | empty-queue-healthy      |
        | empty-queue-last-known   |
        | engine-down              |
        | everything-down          |
        | flapping-failback        |
        | flapping-failback-held   |
        | long-lived-streams       |
        | manual-drain             |
        | minimum-healthy          |
        | region-down              |
        | routing-control          |
        | routing-control-waits    |
        | routing-controls-off     |
        | shallow-check            |
        | stable-name-probe        |
        | stale-verdict            |
        | thundering-standby       |
        | thundering-standby-holds |
        | unchecked-secondary      |
        | wedged-engine            |
        | worker-stuck             |
        | wrong-model              |
        | zone-down                |
