@route53 @evidence @llm
Feature: The cached verdict on an inference engine
  A prober asks the engine for a short answer, 5 s after the last probe ended, within a budget of 4 s. An endpoint tells
  its verdict at once: 200 or 503. These are rules of the article "DNS Failover for LLM Serving", not of Route 53.

  Background:
    Given the zone "example.com" with the record sets:
      | name | routing            | id   | health check | ttl |
      | chat | failover primary   | east | hc-llm       | 60  |
      | chat | failover secondary | west |              | 60  |
    And the health check "hc-llm" is created:
      """
      cell: llm
      http: /healthz
      port: 8081
      interval: 10s
      failure-threshold: 3
      """
    And the endpoint of "hc-llm" tells the verdict on an engine

  @llm-recovery
  Rule: A verdict begins unhealthy, and turns healthy after 12 good probes in a row
    DNS Failover for LLM Serving

    Scenario: Every probe is good from the start
      Then the verdict behind "hc-llm" is unhealthy
      When 54 s pass
      Then the verdict behind "hc-llm" is unhealthy
      And a probe of "hc-llm" fails: "status 503"
      When 2 s pass
      Then the verdict behind "hc-llm" is healthy
      And a probe of "hc-llm" passes

    Scenario: One bad probe among the good ones begins the count anew
      When 47 s pass
      And the engine behind "hc-llm" refuses connections
      And 5 s pass
      And the engine behind "hc-llm" answers again
      And 50 s pass
      Then the verdict behind "hc-llm" is unhealthy
      When 10 s pass
      Then the verdict behind "hc-llm" is healthy

  @llm-drain
  Rule: A verdict turns unhealthy after 3 bad probes in a row
    DNS Failover for LLM Serving

    Scenario: Two bad probes do not turn it, three do
      Given 57 s pass
      When the engine behind "hc-llm" refuses connections
      And 10 s pass
      Then the verdict behind "hc-llm" is healthy
      When 5 s pass
      Then the verdict behind "hc-llm" is unhealthy

    Scenario: A good probe between them resets the count
      Given 57 s pass
      When the engine behind "hc-llm" refuses connections
      And 10 s pass
      And the engine behind "hc-llm" answers again
      And 5 s pass
      And the engine behind "hc-llm" refuses connections
      And 10 s pass
      Then the verdict behind "hc-llm" is healthy
      When 5 s pass
      Then the verdict behind "hc-llm" is unhealthy

    Scenario: An engine that dies: the verdict, then the checkers
      Given 5 min pass
      When the engine behind "hc-llm" refuses connections
      Then the health check "hc-llm" turns unhealthy between 35 s and 45 s later
      When a client asks for A "chat"
      Then the answer is west
      And the TTL is 60 s

    Scenario: A wedged engine costs each probe its budget
      Given 5 min pass
      When the engine behind "hc-llm" is wedged
      Then the health check "hc-llm" turns unhealthy between 47 s and 57 s later
      When a client asks for A "chat"
      Then the answer is west

    Scenario: The way back is long on purpose
      When 5 min pass
      And the engine behind "hc-llm" refuses connections
      And 5 min pass
      And the engine behind "hc-llm" answers again
      Then the health check "hc-llm" turns healthy between 80 s and 90 s later
      When a client asks for A "chat"
      Then the answer is east

  @llm-staleness
  Rule: A verdict that is 20 s old is stale, and unhealthy
    DNS Failover for LLM Serving

    Scenario: The prober dies, the engine does not
      Given 57 s pass
      When the engine behind "hc-llm" loses its prober
      And 17 s pass
      Then the verdict behind "hc-llm" is healthy
      When 1 s pass
      Then the verdict behind "hc-llm" is unhealthy
      When 60 s pass
      Then the health check "hc-llm" is unhealthy
      When a client asks for A "chat"
      Then the answer is west

  Rule: A drained engine is unhealthy whatever its probes say
    DNS Failover for LLM Serving

    Scenario: It is drained, and put back without a new count
      Given 5 min pass
      When the engine behind "hc-llm" is drained by hand
      Then the verdict behind "hc-llm" is unhealthy
      And the health check "hc-llm" turns unhealthy between 20 s and 30 s later
      When a client asks for A "chat"
      Then the answer is west
      When the engine behind "hc-llm" is no longer drained
      Then the verdict behind "hc-llm" is healthy
      And the health check "hc-llm" turns healthy between 20 s and 30 s later
