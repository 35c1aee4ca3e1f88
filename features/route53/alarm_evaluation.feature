@route53 @evidence
Feature: How an alarm comes to its state
  An alarm judges the latest datapoints of a metric: 0 does not breach, X breaches, - is missing; the newest is right.

  @R53-187
  Rule: An alarm is evaluated each minute, a high-resolution one each 10 s
    Using Amazon CloudWatch alarms
    Alarm evaluation

    Scenario: A period of 60 s
      Given the alarm "age" is created:
        | setting            | value |
        | evaluation periods | 1     |
      And the metric of "age" is fine from now on
      When 121 s pass
      Then the alarm "age" is OK
      When the metric of "age" breaches from now on
      And 58 s pass
      Then the alarm "age" is OK
      When 1 s pass
      Then the alarm "age" is ALARM

    Scenario: A period of 10 s
      Given the alarm "age" is created:
        | setting | value |
        | period  | 10 s  |
      And the metric of "age" is fine from now on
      When 21 s pass
      Then the alarm "age" is OK
      When the metric of "age" breaches from now on
      And 8 s pass
      Then the alarm "age" is OK
      When 1 s pass
      Then the alarm "age" is ALARM

    Scenario: A period of 5 min is evaluated for the first time when it is over
      Given the alarm "age" is created:
        | setting | value |
        | period  | 5 min |
      And the metric of "age" breaches from now on
      When 299 s pass
      Then the alarm "age" is INSUFFICIENT_DATA
      When 1 s pass
      Then the alarm "age" is ALARM

  @R53-188
  Rule: An alarm goes off when M of the latest N points breach
    Alarm evaluation

    Scenario Outline: <m> of <n>: <points>
      Given the alarm "age" is created:
        | setting             | value |
        | evaluation periods  | <n>   |
        | datapoints to alarm | <m>   |
      When the metric of "age" shows "<points>"
      Then the alarm "age" is <state>

      Examples: All of N
        | n | m | points      | state |
        | 1 | 1 | 0 0 0 0 X   | ALARM |
        | 1 | 1 | X X X X 0   | OK    |
        | 3 | 3 | 0 0 X X X   | ALARM |
        | 3 | 3 | X X 0 X X   | OK    |
        | 3 | 3 | X X X X 0   | OK    |

      Examples: M of N, not necessarily in a row
        | n | m | points      | state |
        | 3 | 2 | 0 0 X 0 X   | ALARM |
        | 3 | 2 | 0 0 0 X X   | ALARM |
        | 3 | 2 | 0 0 X X 0   | ALARM |
        | 3 | 2 | X X 0 0 X   | OK    |
        | 5 | 3 | X 0 X 0 X   | ALARM |
        | 5 | 3 | X 0 0 0 X   | OK    |
        | 5 | 1 | X 0 0 0 0   | ALARM |
        | 5 | 1 | 0 0 0 0 0   | OK    |

    Scenario Outline: <m> of <n> cannot be
      When the alarm "age" is created:
        | setting             | value |
        | evaluation periods  | <n>   |
        | datapoints to alarm | <m>   |
      Then it is refused: "<why>"

      Examples:
        | n | m | why                                        |
        | 3 | 4 | 4 datapoints to alarm of 3 evaluation      |
        | 3 | 0 | 0 datapoints to alarm of 3 evaluation      |
        | 0 | 1 | 0 evaluation periods are not possible      |

  @R53-189
  Rule: An evaluation reads more points than N
    Configuring how CloudWatch alarms treat missing data

    Scenario Outline: The latest of three periods are empty, older ones are not: <points>
      Given the alarm "age" is created:
        | setting            | value |
        | evaluation periods | 3     |
      When the metric of "age" shows "<points>"
      Then the alarm "age" is <state>

      Examples:
        | points      | state |
        | X X X - -   | ALARM |
        | 0 - - - -   | OK    |
        | - X X X -   | ALARM |

    Scenario: What is older than the evaluation range is not read
      Given the alarm "age" is created:
        | setting            | value |
        | evaluation periods | 3     |
      When the metric of "age" shows "X X X - - - - -"
      Then the alarm "age" is INSUFFICIENT_DATA

  @R53-190
  Rule: Enough real points decide alone
    Configuring how CloudWatch alarms treat missing data

    Scenario Outline: <m> of 3, missing data <treated>: <points>
      Given the alarm "age" is created:
        | setting             | value     |
        | evaluation periods  | 3         |
        | datapoints to alarm | <m>       |
        | treat missing data  | <treated> |
      When the metric of "age" shows "<points>"
      Then the alarm "age" is <state>

      Examples: 3 of 3
        | m | points    | treated       | state |
        | 3 | 0 - X - X | missing       | OK    |
        | 3 | 0 - X - X | ignore        | OK    |
        | 3 | 0 - X - X | breaching     | OK    |
        | 3 | 0 - X - X | not-breaching | OK    |
        | 3 | 0 X X - X | missing       | ALARM |
        | 3 | 0 X X - X | ignore        | ALARM |
        | 3 | 0 X X - X | breaching     | ALARM |
        | 3 | 0 X X - X | not-breaching | ALARM |

      Examples: 2 of 3
        | m | points    | treated       | state |
        | 2 | 0 - X - X | missing       | ALARM |
        | 2 | 0 - X - X | ignore        | ALARM |
        | 2 | 0 - X - X | breaching     | ALARM |
        | 2 | 0 - X - X | not-breaching | ALARM |
        | 2 | 0 0 X 0 X | missing       | ALARM |
        | 2 | 0 0 X 0 X | ignore        | ALARM |
        | 2 | 0 0 X 0 X | breaching     | ALARM |
        | 2 | 0 0 X 0 X | not-breaching | ALARM |

  @R53-191
  Rule: Missing points are filled in when the real ones are too few
    Configuring how CloudWatch alarms treat missing data

    Scenario Outline: <m> of 3, missing data <treated>: <points>
      Given the alarm "age" is created:
        | setting             | value     |
        | evaluation periods  | 3         |
        | datapoints to alarm | <m>       |
        | treat missing data  | <treated> |
      When the metric of "age" shows "<points>"
      Then the alarm "age" is <state>

      Examples: 3 of 3
        | m | points    | treated       | state |
        | 3 | 0 - - - - | missing       | OK    |
        | 3 | 0 - - - - | ignore        | OK    |
        | 3 | 0 - - - - | breaching     | OK    |
        | 3 | 0 - - - - | not-breaching | OK    |

      Examples: 2 of 3
        | m | points    | treated       | state |
        | 2 | 0 - X - - | missing       | OK    |
        | 2 | 0 - X - - | ignore        | OK    |
        | 2 | 0 - X - - | breaching     | ALARM |
        | 2 | 0 - X - - | not-breaching | OK    |
        | 2 | - - - - 0 | missing       | OK    |
        | 2 | - - - - 0 | ignore        | OK    |
        | 2 | - - - - 0 | breaching     | ALARM |
        | 2 | - - - - 0 | not-breaching | OK    |

  @R53-192
  Rule: Without a real point the treatment of missing data decides
    Configuring how CloudWatch alarms treat missing data

    Scenario Outline: No datapoint, missing data <treated>, the state before <before>
      Given the alarm "age" is created:
        | setting            | value     |
        | evaluation periods | 3         |
        | treat missing data | <treated> |
      And SetAlarmState sets the alarm "age" to <before>
      When the metric of "age" shows "- - - - -"
      Then the alarm "age" is <state>

      Examples:
        | treated       | before            | state             |
        | missing       | OK                | INSUFFICIENT_DATA |
        | missing       | ALARM             | INSUFFICIENT_DATA |
        | ignore        | OK                | OK                |
        | ignore        | ALARM             | ALARM             |
        | ignore        | INSUFFICIENT_DATA | INSUFFICIENT_DATA |
        | breaching     | OK                | ALARM             |
        | not-breaching | ALARM             | OK                |

  @R53-193
  Rule: An old breach with nothing better since is an early alarm
    Configuring how CloudWatch alarms treat missing data

    Scenario Outline: <m> of 3, missing data <treated>, the state before <before>: <points>
      Given the alarm "age" is created:
        | setting             | value     |
        | evaluation periods  | 3         |
        | datapoints to alarm | <m>       |
        | treat missing data  | <treated> |
      And SetAlarmState sets the alarm "age" to <before>
      When the metric of "age" shows "<points>"
      Then the alarm "age" is <state>

      Examples: 3 of 3
        | m | points    | treated       | before | state |
        | 3 | - - X - - | missing       | OK     | ALARM |
        | 3 | - - X - - | ignore        | OK     | OK    |
        | 3 | - - X - - | ignore        | ALARM  | ALARM |
        | 3 | - - X - - | breaching     | OK     | ALARM |
        | 3 | - - X - - | not-breaching | ALARM  | OK    |

      Examples: 2 of 3
        | m | points    | treated       | before | state |
        | 2 | - - - X - | missing       | OK     | ALARM |
        | 2 | - - - X - | ignore        | OK     | OK    |
        | 2 | - - - X - | ignore        | ALARM  | ALARM |
        | 2 | - - - X - | breaching     | OK     | ALARM |
        | 2 | - - - X - | not-breaching | ALARM  | OK    |

  @R53-194
  Rule: An older point that does not breach prevents the early alarm
    Configuring how CloudWatch alarms treat missing data

    Scenario Outline: <m> of 3, missing data <treated>: <points>
      Given the alarm "age" is created:
        | setting             | value     |
        | evaluation periods  | 3         |
        | datapoints to alarm | <m>       |
        | treat missing data  | <treated> |
      And SetAlarmState sets the alarm "age" to ALARM
      When the metric of "age" shows "<points>"
      Then the alarm "age" is OK

      Examples:
        | m | points    | treated |
        | 3 | 0 - X - - | missing |
        | 3 | 0 - X - - | ignore  |
        | 2 | 0 - X - - | missing |
        | 2 | 0 - X - - | ignore  |

  @R53-195
  Rule: A breach that is too young is no early alarm
    Configuring how CloudWatch alarms treat missing data

    Scenario Outline: 3 of 3: <points>
      Given the alarm "age" is created:
        | setting            | value |
        | evaluation periods | 3     |
      And the health check "hc-age" is created:
        | setting           | value   |
        | alarm             | age     |
        | insufficient data | healthy |
      When the metric of "age" shows "<points>"
      Then the health check "hc-age" is <status>

      Examples: No alarm yet, whatever the state is called
        | points    | status  |
        | - - - - X | healthy |
        | - - - X - | healthy |

      Examples: Old enough
        | points    | status    |
        | - - X - - | unhealthy |

  @R53-196
  Rule: DynamoDB alarms keep their state when data is missing
    Using Amazon CloudWatch alarms
    Configuring how CloudWatch alarms treat missing data

    Scenario Outline: Namespace <namespace>, the state before <before>
      Given the alarm "errors" is created:
        | setting   | value       |
        | namespace | <namespace> |
      And SetAlarmState sets the alarm "errors" to <before>
      When the metric of "errors" shows "- - - - -"
      Then the alarm "errors" is <state>

      Examples:
        | namespace    | before | state             |
        | AWS/DynamoDB | ALARM  | ALARM             |
        | AWS/DynamoDB | OK     | OK                |
        | AWS/SQS      | ALARM  | INSUFFICIENT_DATA |

    Scenario: What the alarm says itself goes before
      Given the alarm "errors" is created:
        | setting            | value        |
        | namespace          | AWS/DynamoDB |
        | treat missing data | missing      |
      And SetAlarmState sets the alarm "errors" to ALARM
      When the metric of "errors" shows "- - - - -"
      Then the alarm "errors" is INSUFFICIENT_DATA

  @R53-197
  Rule: A new alarm has insufficient data
    PutMetricAlarm
    Alarm evaluation

    Scenario: Nothing was evaluated yet
      Given the alarm "age" is created:
        | setting            | value         |
        | treat missing data | not-breaching |
      Then the alarm "age" is INSUFFICIENT_DATA
      When 59 s pass
      Then the alarm "age" is INSUFFICIENT_DATA
      When 1 s pass
      Then the alarm "age" is OK

  @R53-198
  Rule: A metric that does not exist is insufficient data
    PutMetricAlarm

    Scenario: Nobody feeds the metric of this name
      Given the alarm "agee" is created:
        | setting            | value |
        | evaluation periods | 1     |
      When 10 min pass
      Then the alarm "agee" is INSUFFICIENT_DATA

  @R53-199
  Rule: A high-resolution alarm on a slow metric is often short of data
    PutMetricAlarm

    Scenario: A period of 10 s, a sample a minute
      Given the alarm "age" is created:
        | setting | value |
        | period  | 10 s  |
      And the metric of "age" is fine from now on
      When 10 s pass
      Then the alarm "age" is OK
      When 30 s pass
      Then the alarm "age" is INSUFFICIENT_DATA
      When 30 s pass
      Then the alarm "age" is OK
      When 30 s pass
      Then the alarm "age" is INSUFFICIENT_DATA

  @R53-200
  Rule: An alarm looks back a week at most, a day with short periods
    PutMetricAlarm

    Scenario Outline: <n> periods of <period>
      When the alarm "age" is created:
        | setting            | value    |
        | period             | <period> |
        | evaluation periods | <n>      |
      Then it is <outcome>

      Examples: A day for periods below an hour
        | period | n    | outcome              |
        | 60 s   | 1440 | accepted             |
        | 60 s   | 1441 | refused: "R53-200"   |
        | 5 min  | 288  | accepted             |
        | 5 min  | 289  | refused: "R53-200"   |

      Examples: A week for longer ones
        | period | n    | outcome              |
        | 1 h    | 168  | accepted             |
        | 1 h    | 169  | refused: "R53-200"   |
        | 7 d    | 1    | accepted             |
        | 8 d    | 1    | refused: "R53-200"   |

    Scenario Outline: A period of <period> is refused
      When the alarm "age" is created:
        | setting | value    |
        | period  | <period> |
      Then it is refused: "expected 10 s, 20 s, 30 s, or whole minutes"

      Examples:
        | period |
        | 15 s   |
        | 90 s   |

  @R53-201
  Rule: Missing data that breaches sets the alarm off only after old points have left the range
    Configuring how CloudWatch alarms treat missing data

    Scenario: The metric stops; 3 of 3 with a range of 5 periods
      Given the alarm "heartbeat" is created:
        | setting            | value     |
        | evaluation periods | 3         |
        | treat missing data | breaching |
      And the metric of "heartbeat" is fine from now on
      And 10 min pass
      Then the alarm "heartbeat" is OK
      When the metric of "heartbeat" ends
      And 180 s pass
      Then the alarm "heartbeat" is OK
      When 60 s pass
      Then the alarm "heartbeat" is OK
      When 120 s pass
      Then the alarm "heartbeat" is ALARM
