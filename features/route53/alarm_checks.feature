@route53 @evidence
Feature: Health checks that follow a CloudWatch alarm
  The health check copies what an alarm compares, and judges the metric itself.

  @R53-139 @R53-141
  Rule: A health check on an alarm judges the metric itself: OK is healthy, ALARM is unhealthy
    How Amazon Route 53 determines whether a health check is healthy
    Values that you specify when you create or update health checks

    Scenario Outline: <comparison> 100: <points>
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check |
        | www  | failover primary   | primary   | hc-age       |
        | www  | failover secondary | secondary |              |
      And the alarm "age" is created:
        | setting            | value        |
        | comparison         | <comparison> |
        | threshold          | 100          |
        | evaluation periods | 2            |
      And the health check "hc-age" is created:
        | setting           | value   |
        | alarm             | age     |
        | insufficient data | healthy |
      When the metric of "age" shows "<points>"
      Then the health check "hc-age" is <status>
      When a client asks for A "www"
      Then the answer is <answer>

      Examples:
        | comparison                         | points  | status    | answer    |
        | greater-than-threshold             | 0 0 X X | unhealthy | secondary |
        | greater-than-threshold             | X X 0 X | healthy   | primary   |
        | greater-than-threshold             | X X X 0 | healthy   | primary   |
        | greater-than-or-equal-to-threshold | 0 0 X X | unhealthy | secondary |
        | greater-than-or-equal-to-threshold | 0 0 0 0 | healthy   | primary   |
        | less-than-threshold                | 0 0 X X | unhealthy | secondary |
        | less-than-threshold                | 0 0 0 0 | healthy   | primary   |
        | less-than-or-equal-to-threshold    | 0 0 X X | unhealthy | secondary |
        | less-than-or-equal-to-threshold    | 0 0 0 0 | healthy   | primary   |

    Scenario: The alarm is in ALARM and the metric is fine
      Given the alarm "age" is created:
        | setting            | value  |
        | treat missing data | ignore |
      And the health check "hc-age" is created:
        | setting           | value     |
        | alarm             | age       |
        | insufficient data | unhealthy |
      When the metric of "age" shows "0 0 0"
      And SetAlarmState sets the alarm "age" to ALARM
      Then the alarm "age" is ALARM
      And the health check "hc-age" is healthy

    Scenario: Detection takes as many periods as are asked for
      Given the alarm "age" is created:
        | setting            | value |
        | evaluation periods | 3     |
      And the health check "hc-age" is created:
        | setting           | value   |
        | alarm             | age     |
        | insufficient data | healthy |
      And the metric of "age" is fine from now on
      And 330 s pass
      When the metric of "age" breaches from now on
      Then the health check "hc-age" turns unhealthy between 120 s and 180 s later
      When the metric of "age" is fine from now on
      Then the health check "hc-age" turns healthy between 0 s and 120 s later

    Scenario Outline: An alarm check is <change>
      Given the alarm "age" is created:
        | setting            | value |
        | evaluation periods | 1     |
      And the health check "hc-age" is created:
        | setting           | value   |
        | alarm             | age     |
        | insufficient data | healthy |
      When the metric of "age" shows "X"
      Then the health check "hc-age" is unhealthy
      When the health check "hc-age" is <change>
      Then the health check "hc-age" is healthy

      Examples:
        | change   |
        | inverted |
        | disabled |

  @R53-140
  Rule: What to alarm at is copied from the alarm, how to treat missing data is not
    CloudWatchAlarmConfiguration

    Scenario Outline: The statistic <statistic> of the metric is copied
      Given the alarm "age" is created:
        | setting   | value       |
        | statistic | <statistic> |
        | period    | 2 min       |
      And the health check "hc-age" is created:
        | setting           | value   |
        | alarm             | age     |
        | insufficient data | healthy |
      And the metric of "age" is fine from now on
      When 90 s pass
      And the metric of "age" breaches from now on
      And 30 s pass
      Then the alarm "age" is <state>
      And the health check "hc-age" is <status>

      Examples:
        | statistic | state | status    |
        | maximum   | ALARM | unhealthy |
        | minimum   | OK    | healthy   |
        | average   | ALARM | unhealthy |

    Scenario: The treatment of missing data is not copied
      Given the alarm "age" is created:
        | setting            | value     |
        | evaluation periods | 3         |
        | treat missing data | breaching |
      And the health check "hc-age" is created:
        | setting           | value   |
        | alarm             | age     |
        | insufficient data | healthy |
      When the metric of "age" shows "- - - - -"
      Then the alarm "age" is ALARM
      And the health check "hc-age" is healthy

  @R53-142
  Rule: Missing data is healthy, unhealthy or the last known status, as the check says
    Values that you specify when you create or update health checks
    HealthCheckConfig

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check |
        | www  | failover primary   | primary   | hc-age       |
        | www  | failover secondary | secondary |              |
      And the alarm "age" is created:
        | setting            | value |
        | evaluation periods | 3     |

    Scenario Outline: A new check, insufficient data being <insufficient>
      Given the health check "hc-age" is created:
        | setting           | value          |
        | alarm             | age            |
        | insufficient data | <insufficient> |
      When the metric of "age" shows "- - - - -"
      Then the health check "hc-age" is <status>
      When a client asks for A "www"
      Then the answer is <answer>

      Examples:
        | insufficient      | status    | answer    |
        | healthy           | healthy   | primary   |
        | unhealthy         | unhealthy | secondary |
        | last-known-status | healthy   | primary   |

    Scenario Outline: The check was <before>, insufficient data being <insufficient>
      Given the health check "hc-age" is created:
        | setting           | value          |
        | alarm             | age            |
        | insufficient data | <insufficient> |
      And the metric of "age" shows "<points>"
      Then the health check "hc-age" is <before>
      When the metric of "age" shows "- - - - -"
      Then the health check "hc-age" is <status>
      When a client asks for A "www"
      Then the answer is <answer>

      Examples:
        | before    | points    | insufficient      | status    | answer    |
        | healthy   | 0 0 0 0 0 | healthy           | healthy   | primary   |
        | healthy   | 0 0 0 0 0 | unhealthy         | unhealthy | secondary |
        | healthy   | 0 0 0 0 0 | last-known-status | healthy   | primary   |
        | unhealthy | X X X X X | healthy           | healthy   | primary   |
        | unhealthy | X X X X X | unhealthy         | unhealthy | secondary |
        | unhealthy | X X X X X | last-known-status | unhealthy | secondary |

    Scenario: The last known status outlasts a long silence, until the metric speaks again
      Given the alarm "age" is created:
        | setting            | value |
        | evaluation periods | 1     |
      And the health check "hc-age" is created:
        | setting           | value             |
        | alarm             | age               |
        | insufficient data | last-known-status |
      And the metric of "age" shows "X X X"
      When the metric of "age" ends
      And 5 h pass
      Then the health check "hc-age" is unhealthy
      When the metric of "age" is fine from now on
      Then the health check "hc-age" turns healthy between 0 s and 120 s later

    Scenario: It must be said
      When the health check "hc-new" is created:
        """
        alarm: { success-of: sign-in, statistic: minimum, comparison: less-than-threshold, threshold: 1 }
        """
      Then it is refused: "R53-142"

  @R53-144
  Rule: How the alarm treats missing data does not matter to the health check
    CloudWatchAlarmConfiguration

    Scenario Outline: The alarm treats missing data as <treated>, the check as <insufficient>
      Given the alarm "age" is created:
        | setting            | value     |
        | evaluation periods | 3         |
        | treat missing data | <treated> |
      And the health check "hc-age" is created:
        | setting           | value          |
        | alarm             | age            |
        | insufficient data | <insufficient> |
      When the metric of "age" shows "- - - - -"
      Then the alarm "age" is <state>
      And the health check "hc-age" is <status>

      Examples:
        | treated       | state             | insufficient      | status    |
        | breaching     | ALARM             | healthy           | healthy   |
        | breaching     | ALARM             | unhealthy         | unhealthy |
        | breaching     | ALARM             | last-known-status | healthy   |
        | not-breaching | OK                | healthy           | healthy   |
        | not-breaching | OK                | unhealthy         | unhealthy |
        | missing       | INSUFFICIENT_DATA | healthy           | healthy   |
        | missing       | INSUFFICIENT_DATA | unhealthy         | unhealthy |

    Scenario: Some points are missing: the check takes them as missing whatever the alarm does
      Given the alarm "age" is created:
        | setting            | value         |
        | evaluation periods | 3             |
        | treat missing data | not-breaching |
      And the health check "hc-age" is created:
        | setting           | value   |
        | alarm             | age     |
        | insufficient data | healthy |
      When the metric of "age" shows "- - X - -"
      Then the alarm "age" is OK
      And the health check "hc-age" is unhealthy

  @R53-145
  Rule: An alarm state set by hand does not move the health check
    How Amazon Route 53 determines whether a health check is healthy

    Scenario Outline: SetAlarmState to <state>
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check |
        | www  | failover primary   | primary   | hc-age       |
        | www  | failover secondary | secondary |              |
      And the alarm "age" is created:
        | setting            | value |
        | evaluation periods | 1     |
      And the health check "hc-age" is created:
        | setting           | value   |
        | alarm             | age     |
        | insufficient data | healthy |
      And the metric of "age" shows "<points>"
      When SetAlarmState sets the alarm "age" to <state>
      Then the alarm "age" is <state>
      And the health check "hc-age" is <status>
      When a client asks for A "www"
      Then the answer is <answer>

      Examples:
        | points | state             | status    | answer    |
        | 0      | ALARM             | healthy   | primary   |
        | X      | OK                | unhealthy | secondary |
        | X      | INSUFFICIENT_DATA | unhealthy | secondary |

    Scenario: It lasts until the next evaluation
      Given the alarm "age" is created:
        | setting            | value |
        | evaluation periods | 1     |
      And the metric of "age" is fine from now on
      And 60 s pass
      When SetAlarmState sets the alarm "age" to ALARM
      Then the alarm "age" is ALARM
      When 60 s pass
      Then the alarm "age" is OK

  @R53-146
  Rule: An edited alarm reaches the health check when that is updated
    Working with health checks that monitor a CloudWatch alarm

    Scenario: The threshold is raised from 100 to 500
      Given the alarm "age" is created:
        | setting   | value |
        | threshold | 100   |
      And the health check "hc-age" is created:
        | setting           | value   |
        | alarm             | age     |
        | insufficient data | healthy |
      When the alarm "age" is updated:
        | setting   | value |
        | threshold | 500   |
      And the metric of "age" shows "0"
      Then the alarm "age" is OK
      And the health check "hc-age" is unhealthy
      When the health check "hc-age" is updated:
        | setting | value |
        | alarm   | age   |
      And the metric of "age" shows "0"
      Then the health check "hc-age" is healthy
      When the metric of "age" shows "X"
      Then the health check "hc-age" is unhealthy

    Scenario: More periods are asked for
      Given the alarm "age" is created:
        | setting            | value |
        | evaluation periods | 1     |
      And the health check "hc-age" is created:
        | setting           | value   |
        | alarm             | age     |
        | insufficient data | healthy |
      When the alarm "age" is updated:
        | setting            | value |
        | evaluation periods | 3     |
      And the metric of "age" shows "0 0 0 0 X"
      Then the alarm "age" is OK
      And the health check "hc-age" is unhealthy
      When the health check "hc-age" is updated:
        | setting | value |
        | alarm   | age   |
      And the metric of "age" shows "0 0 0 0 X"
      Then the health check "hc-age" is healthy

  @R53-148
  Rule: A health check cannot follow a high-resolution alarm
    Troubleshooting health checks
    Error texts of cfn-lint's health check rules

    Scenario Outline: A period of <period>
      Given the alarm "age" is created:
        | setting | value    |
        | period  | <period> |
      When the health check "hc-age" is created:
        | setting           | value   |
        | alarm             | age     |
        | insufficient data | healthy |
      Then it is <outcome>

      Examples:
        | period | outcome            |
        | 10 s   | refused: "R53-148" |
        | 20 s   | refused: "R53-148" |
        | 30 s   | refused: "R53-148" |
        | 60 s   | accepted           |
        | 5 min  | accepted           |

  @R53-149
  Rule: A health check follows plain statistics only
    Troubleshooting health checks
    Error texts of cfn-lint's health check rules

    Scenario Outline: The statistic <statistic>
      When the health check "hc-age" is created:
        """
        alarm: { queue-age-of: east, statistic: <statistic>, comparison: greater-than-threshold, threshold: 300 }
        insufficient-data: healthy
        """
      Then it is <outcome>

      Examples:
        | statistic    | outcome            |
        | average      | accepted           |
        | minimum      | accepted           |
        | maximum      | accepted           |
        | sum          | accepted           |
        | sample-count | accepted           |
        | p99          | refused: "R53-149" |
        | p99.9        | refused: "R53-149" |
        | tm90         | refused: "R53-149" |
        | iqm          | refused: "R53-149" |

  @R53-150
  Rule: A health check cannot follow metric math
    Values that you specify when you create or update health checks
    Error texts of cfn-lint's health check rules

    Scenario: An alarm on an expression
      When the health check "hc-age" is created:
        """
        alarm: { metric-math: "m1 / m2", statistic: average, comparison: greater-than-threshold, threshold: 1 }
        insufficient-data: healthy
        """
      Then it is refused: "R53-150"

  @R53-151
  Rule: A health check cannot follow an M-of-N alarm
    Values that you specify when you create or update health checks

    Scenario Outline: <m> of <n>
      Given the alarm "age" is created:
        | setting             | value |
        | evaluation periods  | <n>   |
        | datapoints to alarm | <m>   |
      When the health check "hc-age" is created:
        | setting           | value   |
        | alarm             | age     |
        | insufficient data | healthy |
      Then it is <outcome>

      Examples:
        | m | n | outcome            |
        | 2 | 3 | refused: "R53-151" |
        | 4 | 5 | refused: "R53-151" |
        | 3 | 3 | accepted           |
        | 1 | 1 | accepted           |

  @R53-152
  Rule: A health check cannot follow a composite or anomaly alarm
    CloudWatchAlarmConfiguration

    Scenario Outline: An alarm with <what>
      When the health check "hc-age" is created:
        """
        alarm: { <settings> }
        insufficient-data: healthy
        """
      Then it is refused: "<why>"

      Examples:
        | what               | settings                                                                                     | why                      |
        | no metric          | statistic: average, comparison: greater-than-threshold, threshold: 1                         | exactly one              |
        | an anomaly band    | queue-age-of: east, statistic: average, comparison: greater-than-upper-threshold, threshold: 1 | comparison             |
        | no threshold       | queue-age-of: east, statistic: average, comparison: greater-than-threshold                    | threshold               |
        | a rule             | queue-age-of: east, statistic: average, comparison: greater-than-threshold, threshold: 1, alarm-rule: "ALARM(a) OR ALARM(b)" | alarm-rule |

  @R53-153
  Rule: Settings of alarm checks are refused on other kinds
    Error texts of cfn-lint's health check rules
    aws/aws-cli issue 3188

    Scenario Outline: insufficient-data on a check with <kind>
      Given the routing controls "east" are on, and at least 0 must stay on
      And the health check "child" is created:
        """
        cell: east
        http: /health
        """
      When the health check "hc" is created:
        """
        { <kind>, insufficient-data: healthy }
        """
      Then it is refused: "R53-153"

      Examples:
        | kind                                     |
        | cell: east, http: /health                |
        | cell: east, tcp: 80                      |
        | calculated: [child], healthy-threshold: 1 |
        | routing-control: east                    |
