@mission @drill @docker
Feature: A region's database dies

  The region goes on running, its application answers 503, and everybody is to be served elsewhere. In a lab of containers
  the database is PostgreSQL, and the resolvers and clients are programs as they are; the same scenario runs in every lab.

  @R53-7 @R53-158
  Rule: A region whose database is dead is left when two checks of its targets have failed, and clients follow as they resolve

    Target group health; Values specific for failover alias records.

    @fault
    Scenario: The database of sa-east-1 dies
      When the drill "../../drills/mission/dead-database.yaml" runs
      Then the drill passes
      And the failover took at most:
        | stage         | of         | time  |
        | detection     |            | 33 s  |
        | authoritative |            | 4 s   |
        | resolver      | br-unbound | 72 s  |
        | resolver      | br-bind    | 72 s  |
        | resolver      | br-pdns    | 72 s  |
        | total         | curl       | 110 s |
        | total         | jvm        | 145 s |
      And the drill stays inside its predictions

    @control
    Scenario: Without the fault nothing of it is seen
      When the control of the drill "../../drills/mission/dead-database.yaml" runs
      Then the drill fails
