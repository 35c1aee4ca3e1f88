@mission @drill @docker @haproxy
Feature: A region's database dies behind HAProxy

  HAProxy is the load balancer of the region, and checks its targets by itself; the requests that arrive are known from its
  log. Only a lab of containers runs it: elsewhere these scenarios do not apply.

  @R53-7 @R53-158
  Rule: A region behind another load balancer is left as any other is, when two checks of its targets have failed

    Target group health; Values specific for failover alias records.

    @fault
    Scenario: The database of sa-east-1 dies, and HAProxy answers 503 itself
      When the drill "../../drills/mission/dead-database-haproxy.yaml" runs
      Then the drill passes
      And the failover took at most:
        | stage         | of         | time  |
        | detection     |            | 33 s  |
        | authoritative |            | 4 s   |
        | resolver      | br-unbound | 72 s  |
        | resolver      | br-bind    | 72 s  |
        | total         | curl       | 110 s |
        | total         | own        | 110 s |
      And the drill stays inside its predictions

    @control
    Scenario: Without the fault nothing of it is seen
      When the control of the drill "../../drills/mission/dead-database-haproxy.yaml" runs
      Then the drill fails
