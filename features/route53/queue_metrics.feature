@route53 @evidence
Feature: The age of a queue's oldest message as evidence
  Amazon SQS publishes ApproximateAgeOfOldestMessage while a queue is in use. An alarm on it is no sign of life.

  @R53-202
  Rule: A queue's metrics fall silent 6 h after its last use
    Available CloudWatch metrics for Amazon SQS

    Scenario: It publishes for 6 h, and then nothing
      Given the queue "orders" was just used
      When 6 h pass
      Then the queue "orders" reports an age of 0 s
      When 1 min passes
      Then the queue "orders" reports nothing

    Scenario: Each use begins the 6 h anew
      Given the queue "orders" was just used
      And the queue "orders" is polled once a minute
      When 10 h pass
      Then the queue "orders" reports an age of 0 s
      When the queue "orders" is left alone
      And 5 h pass
      Then the queue "orders" reports an age of 0 s
      When 61 min pass
      Then the queue "orders" reports nothing

    Scenario: It is not silent as long as it holds a message
      Given the queue "orders" was just used
      And the queue "orders" is sent a message
      When 8 h pass
      Then the queue "orders" reports an age of 28800 s

    Scenario: It takes up to 15 min to publish again
      Given the queue "orders" was just used
      And 7 h pass
      When the queue "orders" is sent a message
      Then the queue "orders" reports nothing
      When 15 min pass
      Then the queue "orders" reports an age of 900 s

  @R53-203
  Rule: An empty queue that is polled reports an age of 0
    Available CloudWatch metrics for Amazon SQS

    Scenario: An age alarm on it is OK, and the health check healthy
      Given the queue "orders" was just used
      And the queue "orders" is polled once a minute
      And the alarm "age" is created:
        | setting      | value  |
        | threshold    | 300    |
        | age of queue | orders |
      And the health check "hc-age" is created:
        | setting           | value     |
        | alarm             | age       |
        | insufficient data | unhealthy |
      When 10 h pass
      Then the queue "orders" reports an age of 0 s
      And the alarm "age" is OK
      And the health check "hc-age" is healthy

    Scenario: A message that nobody takes turns it
      Given the queue "orders" was just used
      And the alarm "age" is created:
        | setting      | value  |
        | threshold    | 300    |
        | age of queue | orders |
      And the health check "hc-age" is created:
        | setting           | value   |
        | alarm             | age     |
        | insufficient data | healthy |
      And 90 s pass
      When the queue "orders" is sent a message
      Then the health check "hc-age" turns unhealthy between 300 s and 420 s later
      And the alarm "age" is ALARM
      When the queue "orders" is polled once a minute
      Then the health check "hc-age" turns healthy between 0 s and 120 s later

  @R53-204
  Rule: An age alarm on an untouched queue has insufficient data
    Available CloudWatch metrics for Amazon SQS
    getlift/lift issue 337

    Scenario Outline: Untouched for 7 h, the alarm treats missing data as <treated>, the check as <insufficient>
      Given the zone "example.com" with the record sets:
        | name | routing            | id   | health check |
        | www  | failover primary   | east | hc-age       |
        | www  | failover secondary | west |              |
      And the queue "orders" was just used
      And the alarm "age" is created:
        | setting            | value     |
        | threshold          | 300       |
        | treat missing data | <treated> |
        | age of queue       | orders    |
      And the health check "hc-age" is created:
        | setting           | value          |
        | alarm             | age            |
        | insufficient data | <insufficient> |
      When 7 h pass
      Then the queue "orders" reports nothing
      And the alarm "age" is <state>
      And the health check "hc-age" is <status>
      When a client asks for A "www"
      Then the answer is <answer>

      Examples:
        | treated       | insufficient      | state             | status    | answer |
        | missing       | healthy           | INSUFFICIENT_DATA | healthy   | east   |
        | missing       | unhealthy         | INSUFFICIENT_DATA | unhealthy | west   |
        | missing       | last-known-status | INSUFFICIENT_DATA | healthy   | east   |
        | not-breaching | unhealthy         | OK                | unhealthy | west   |
        | breaching     | healthy           | ALARM             | healthy   | east   |

    Scenario: A queue that is deleted, unused for 30 days, falls silent while it is remembered as unhealthy
      Given the queue "orders" was just used
      And the alarm "age" is created:
        | setting      | value  |
        | threshold    | 300    |
        | age of queue | orders |
      And the health check "hc-age" is created:
        | setting           | value             |
        | alarm             | age               |
        | insufficient data | last-known-status |
      And the queue "orders" is sent a message
      When 30 d pass
      Then the health check "hc-age" is unhealthy
      When 1 h passes
      Then the queue "orders" reports nothing
      And the alarm "age" is INSUFFICIENT_DATA
      And the health check "hc-age" is unhealthy

  @R53-205
  Rule: The age metric skips a message received three times and not deleted
    Available CloudWatch metrics for Amazon SQS

    Scenario: A message that its consumer cannot digest
      Given the queue "orders" was just used
      And the queue "orders" is sent a message
      When 60 s pass
      And the queue "orders" hands out a message that is not deleted
      And 60 s pass
      And the queue "orders" hands out a message that is not deleted
      And 60 s pass
      Then the queue "orders" reports an age of 180 s
      When the queue "orders" hands out a message that is not deleted
      Then the queue "orders" reports an age of 0 s

    Scenario: The next oldest is reported
      Given the queue "orders" was just used
      And the queue "orders" is sent a message
      And 60 s pass
      And the queue "orders" hands out a message that is not deleted
      And 60 s pass
      And the queue "orders" hands out a message that is not deleted
      And 60 s pass
      And the queue "orders" hands out a message that is not deleted
      When the queue "orders" is sent a message
      And 60 s pass
      Then the queue "orders" reports an age of 60 s

    Scenario: A message that is given up begins anew in the dead-letter queue
      Given the queue "orders" was just used, and gives a message up after 2 receives
      And the queue "orders" is sent a message
      When 60 s pass
      And the queue "orders" hands out a message that is not deleted
      And 60 s pass
      And the queue "orders" hands out a message that is not deleted
      And 60 s pass
      Then the queue "orders" reports an age of 180 s
      And the dead-letter queue of "orders" reports an age of 0 s
      When the queue "orders" is polled once a minute
      And 60 s pass
      Then the queue "orders" reports an age of 0 s
      And the dead-letter queue of "orders" reports an age of 0 s
      When 60 s pass
      Then the dead-letter queue of "orders" reports an age of 60 s

  @R53-206
  Rule: A dead consumer and a dead producer leave an age metric that looks well
    Available CloudWatch metrics for Amazon SQS

    Scenario: Both die while the queue is empty
      Given the queue "orders" was just used
      And the queue "orders" is polled once a minute
      And the alarm "age" is created:
        | setting      | value  |
        | threshold    | 300    |
        | age of queue | orders |
      And the health check "hc-age" is created:
        | setting           | value   |
        | alarm             | age     |
        | insufficient data | healthy |
      And 1 h passes
      When the queue "orders" is left alone
      And 5 h pass
      Then the alarm "age" is OK
      And the health check "hc-age" is healthy
      When 5 h pass
      Then the alarm "age" is INSUFFICIENT_DATA
      And the health check "hc-age" is healthy
