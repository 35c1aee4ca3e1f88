@route53 @evidence
Feature: Health checks that probe an endpoint
  A fleet of checkers probes an endpoint. Each checker has its own view, and the share of healthy views is the status.

  @R53-103
  Rule: A new health check is healthy until there is data, or unhealthy when inverted
    How Amazon Route 53 determines whether a health check is healthy

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check |
        | www  | failover primary   | primary   | hc-east      |
        | www  | failover secondary | secondary |              |

    Scenario: The endpoint fails from the start, and not every checker has looked at it yet
      Given the health check "hc-east" is created:
        """
        cell: east
        http: /health
        interval: 30s
        failure-threshold: 1
        """
      And the endpoint of "hc-east" refuses connections
      Then the health check "hc-east" is healthy
      When 20 s pass
      Then the health check "hc-east" is healthy
      When a client asks for A "www"
      Then the answer is primary

    Scenario: Until there is data, an inverted health check is unhealthy
      Given the health check "hc-east" is created:
        """
        cell: east
        http: /health
        inverted: true
        """
      Then the health check "hc-east" is unhealthy
      When a client asks for A "www"
      Then the answer is secondary

    Scenario: No checker reports
      Given the health check "hc-east" is created:
        """
        cell: east
        http: /health
        """
      When the endpoint of "hc-east" has no checker that reports
      Then the health check "hc-east" is healthy

  @R53-104 @R53-105 @R53-106
  Rule: Inverting shows the opposite; a disabled check is healthy, and unhealthy when inverted too
    Values that you specify when you create or update health checks
    UpdateHealthCheck

    Scenario Outline: An endpoint that <endpoint>, inverted: <inverted>, disabled: <disabled>
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check |
        | www  | failover primary   | primary   | hc-east      |
        | www  | failover secondary | secondary |              |
      And the health check "hc-east" is created:
        """
        cell: east
        http: /health
        interval: 10s
        inverted: <inverted>
        disabled: <disabled>
        """
      And the endpoint of "hc-east" <endpoint>
      When 60 s pass
      Then the health check "hc-east" is <status>
      When a client asks for A "www"
      Then the answer is <answer>

      Examples:
        | endpoint            | inverted | disabled | status    | answer    |
        | recovers            | false    | false    | healthy   | primary   |
        | recovers            | true     | false    | unhealthy | secondary |
        | recovers            | false    | true     | healthy   | primary   |
        | recovers            | true     | true     | unhealthy | secondary |
        | refuses connections | false    | false    | unhealthy | secondary |
        | refuses connections | true     | false    | healthy   | primary   |
        | refuses connections | false    | true     | healthy   | primary   |
        | refuses connections | true     | true     | unhealthy | secondary |

    Scenario: A check is inverted, disabled and put back while it is in use
      Given the health check "hc-east" is created:
        """
        cell: east
        http: /health
        interval: 10s
        """
      And the endpoint of "hc-east" refuses connections
      Then the health check "hc-east" turns unhealthy between 20 s and 30 s later
      When the health check "hc-east" is inverted
      Then the health check "hc-east" is healthy
      When the health check "hc-east" is disabled
      Then the health check "hc-east" is unhealthy
      When the health check "hc-east" is no longer inverted
      Then the health check "hc-east" is healthy
      When the health check "hc-east" is enabled
      Then the health check "hc-east" is unhealthy

    Scenario: Nobody probes for a disabled check
      Given the health check "hc-east" is created:
        """
        cell: east
        http: /health
        interval: 10s
        disabled: true
        """
      Then the endpoint of "hc-east" is probed 0 to 0 times in 60 s, from 0 Regions
      When the health check "hc-east" is enabled
      Then the endpoint of "hc-east" is probed 90 to 100 times in 60 s, from 8 Regions

  @R53-109
  Rule: The kind, interval and endpoint kind of a health check cannot be changed
    Values that you specify when you create or update health checks
    HealthCheckConfig

    Scenario Outline: <from> becomes <to>
      Given the health check "hc" is created:
        """
        { cell: east, <from> }
        """
      When the health check "hc" is updated:
        """
        { cell: east, <to> }
        """
      Then it is <outcome>

      Examples: Of one kind
        | from                      | to                             | outcome                                    |
        | http: /                   | tcp: 80                        | refused: "the type of a health check"      |
        | http: /                   | https: /                       | refused: "the type of a health check"      |
        | http: /                   | http: /, contains: ready       | refused: "R53-109"                         |
        | http: /, interval: 10s    | http: /, interval: 30s         | refused: "the interval"                    |
        | http: /                   | http: /, interval: 10s         | refused: "the interval"                    |
        | http: /                   | http: /, name: a.example.net   | refused: "by name or by address"           |
        | http: /                   | http: /health                  | accepted                                   |
        | http: /, contains: ready  | http: /, contains: set         | accepted                                   |
        | http: /, name: a.example.net | http: /, name: b.example.net | accepted                                  |

    Scenario: Another kind altogether
      Given the health check "hc" is created:
        """
        { cell: east, http: / }
        """
      And the health check "child" is created:
        """
        { cell: east, http: / }
        """
      When the health check "hc" is updated:
        """
        { calculated: [child], healthy-threshold: 1 }
        """
      Then it is refused: "the type of a health check"

    Scenario: What may be changed is changed
      Given the health check "hc" is created:
        """
        { cell: east, http: /, contains: ready }
        """
      And the endpoint of "hc" answers:
        | setting | value |
        | body    | set   |
      Then a probe of "hc" fails: "not in the first 5120 bytes"
      When the health check "hc" is updated:
        """
        { cell: east, http: /, contains: set }
        """
      Then a probe of "hc" passes

  @R53-110
  Rule: A health check must not probe the very name that it protects
    Values specific for failover records
    Values that you specify when you create or update health checks

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check |
        | www  | failover primary   | primary   | hc-east      |
        | www  | failover secondary | secondary |              |

    Scenario: The endpoint is the name of the record
      When the health check "hc-east" is created:
        """
        { cell: east, http: /, name: www.example.com }
        """
      Then it is refused: "R53-110"

    Scenario: The endpoint has a name of its own
      When the health check "hc-east" is created:
        """
        { cell: east, http: /, name: east.example.com }
        """
      Then it is accepted

  @R53-111
  Rule: An HTTP probe passes when it connects within 4 s and gets a 2xx or 3xx within 2 s more
    How Amazon Route 53 determines whether a health check is healthy
    HealthCheckConfig

    Background:
      Given the health check "hc-east" is created:
        """
        cell: east
        http: /health
        """

    Scenario Outline: Connected after <connects in>, status <status> after <status after> more
      When the endpoint of "hc-east" answers:
        | setting      | value          |
        | connects in  | <connects in>  |
        | status       | <status>       |
        | status after | <status after> |
      Then a probe of "hc-east" <verdict>

      Examples: Time
        | connects in | status | status after | verdict                                                         |
        | 0 s         | 200    | 0 s          | passes                                                          |
        | 4 s         | 200    | 0 s          | passes                                                          |
        | 4001 ms     | 200    | 0 s          | fails: "connected only after 4.001 s"                           |
        | 10 s        | 200    | 0 s          | fails: "connected only after"                                   |
        | 0 s         | 200    | 2 s          | passes                                                          |
        | 0 s         | 200    | 2001 ms      | fails: "the status came only 2.001 s after the connection"      |
        | 0 s         | 200    | 4 s          | fails: "the status came only"                                   |
        | 4 s         | 200    | 2 s          | passes                                                          |
        | 1 s         | 200    | 2001 ms      | fails: "the status came only"                                   |

      Examples: Status
        | connects in | status | status after | verdict             |
        | 0 s         | 199    | 0 s          | fails: "status 199" |
        | 0 s         | 204    | 0 s          | passes              |
        | 0 s         | 301    | 0 s          | passes              |
        | 0 s         | 399    | 0 s          | passes              |
        | 0 s         | 400    | 0 s          | fails: "status 400" |
        | 0 s         | 404    | 0 s          | fails: "status 404" |
        | 0 s         | 503    | 0 s          | fails: "status 503" |

    Scenario Outline: An endpoint that <endpoint>
      When the endpoint of "hc-east" <endpoint>
      Then a probe of "hc-east" <verdict>

      Examples:
        | endpoint                  | verdict                              |
        | refuses connections       | fails: "not connected"               |
        | accepts and never answers | fails: "connected, but no status"    |

  @R53-112
  Rule: A TCP probe passes when it connects within 10 s
    How Amazon Route 53 determines whether a health check is healthy

    Background:
      Given the health check "hc-east" is created:
        """
        cell: east
        tcp: 80
        """

    Scenario Outline: Connected after <connects in>
      When the endpoint of "hc-east" answers:
        | setting     | value         |
        | connects in | <connects in> |
      Then a probe of "hc-east" <verdict>

      Examples:
        | connects in | verdict                                |
        | 0 s         | passes                                 |
        | 4001 ms     | passes                                 |
        | 10 s        | passes                                 |
        | 10001 ms    | fails: "connected only after 10.001 s" |

    Scenario: What is answered after that does not matter
      When the endpoint of "hc-east" answers:
        | setting | value |
        | status  | 500   |
      Then a probe of "hc-east" passes
      When the endpoint of "hc-east" accepts and never answers
      Then a probe of "hc-east" passes
      When the endpoint of "hc-east" refuses connections
      Then a probe of "hc-east" fails: "not connected"

  @R53-113
  Rule: A string probe finds its string in the first 5120 bytes within 2 s more
    How Amazon Route 53 determines whether a health check is healthy

    Background:
      Given the health check "hc-east" is created:
        """
        cell: east
        http: /health
        contains: '"status":"ok"'
        """

    Scenario Outline: The string ends at byte <byte> of the body, which takes <body after>
      When the endpoint of "hc-east" answers:
        | setting           | value         |
        | body              | "status":"ok" |
        | body ends at byte | <byte>        |
        | body after        | <body after>  |
      Then a probe of "hc-east" <verdict>

      Examples:
        | byte | body after | verdict                                                 |
        | 13   | 0 s        | passes                                                  |
        | 4097 | 0 s        | passes                                                  |
        | 5120 | 0 s        | passes                                                  |
        | 5121 | 0 s        | fails: "not in the first 5120 bytes"                    |
        | 6000 | 0 s        | fails: "not in the first 5120 bytes"                    |
        | 13   | 2 s        | passes                                                  |
        | 13   | 2001 ms    | fails: "the body came only 2.001 s after the status"    |
        | 13   | 4 s        | fails: "the body came only"                             |

    Scenario: Every limit is used up at once
      When the endpoint of "hc-east" answers:
        | setting           | value         |
        | connects in       | 4 s           |
        | status after      | 2 s           |
        | body              | "status":"ok" |
        | body ends at byte | 5120          |
        | body after        | 2 s           |
      Then a probe of "hc-east" passes

    Scenario Outline: The string with status <status>
      When the endpoint of "hc-east" answers:
        | setting | value         |
        | status  | <status>      |
        | body    | "status":"ok" |
      Then a probe of "hc-east" <verdict>

      Examples:
        | status | verdict             |
        | 302    | passes              |
        | 500    | fails: "status 500" |

    Scenario: Another body
      When the endpoint of "hc-east" answers:
        | setting | value               |
        | body    | "status":"degraded" |
      Then a probe of "hc-east" fails: "not in the first 5120 bytes"

  @R53-114
  Rule: A search string is up to 255 characters, with case, in the decompressed body
    Values that you specify when you create or update health checks

    Scenario Outline: The body is <body>, content encoding <encoding>
      Given the health check "hc-east" is created:
        """
        cell: east
        http: /health
        contains: ready
        """
      When the endpoint of "hc-east" answers:
        | setting          | value      |
        | body             | <body>     |
        | content encoding | <encoding> |
      Then a probe of "hc-east" <verdict>

      Examples:
        | body         | encoding | verdict                              |
        | it is ready  | none     | passes                               |
        | it is READY  | none     | fails: "not in the first 5120 bytes" |
        | it is Ready  | none     | fails: "not in the first 5120 bytes" |
        | it is ready  | gzip     | passes                               |
        | it is READY  | gzip     | fails: "not in the first 5120 bytes" |
        | it is ready  | deflate  | passes                               |
        | it is ready  | br       | fails: "not in the first 5120 bytes" |

    Scenario Outline: The 5120 bytes are those of the decompressed body: the string ends at byte <byte>
      Given the health check "hc-east" is created:
        """
        cell: east
        http: /health
        contains: ready
        """
      When the endpoint of "hc-east" answers:
        | setting           | value  |
        | body              | ready  |
        | body ends at byte | <byte> |
        | content encoding  | gzip   |
      Then a probe of "hc-east" <verdict>

      Examples:
        | byte | verdict                              |
        | 5120 | passes                               |
        | 5121 | fails: "not in the first 5120 bytes" |

    Scenario: 255 characters
      When the health check "hc-east" is created:
        """
        cell: east
        http: /health
        contains: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
        """
      Then it is accepted

    Scenario: 256 characters
      When the health check "hc-east" is created:
        """
        cell: east
        http: /health
        contains: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
        """
      Then it is refused: "a search for 256 characters is not possible"

  @R53-115
  Rule: Response headers follow RFC 7230 and stay within 16384 bytes
    How Amazon Route 53 determines whether a health check is healthy
    Quotas on health checks

    Scenario Outline: <headers> bytes of headers
      Given the health check "hc-east" is created:
        """
        cell: east
        http: /health
        """
      When the endpoint of "hc-east" answers:
        | setting | value     |
        | headers | <headers> |
      Then a probe of "hc-east" <verdict>

      Examples:
        | headers | verdict                                                                |
        | 200     | passes                                                                 |
        | 16384   | passes                                                                 |
        | 16385   | fails: "the response headers have 16385 bytes, more than 16384"        |
        | 100000  | fails: "the response headers have 100000 bytes"                        |

    Scenario: A TCP probe reads no headers
      Given the health check "hc-east" is created:
        """
        cell: east
        tcp: 80
        """
      When the endpoint of "hc-east" answers:
        | setting | value |
        | headers | 20000 |
      Then a probe of "hc-east" passes

  @R53-116
  Rule: A bad certificate does not fail an HTTPS probe
    How Route 53 determines whether a health check is healthy, HTTP and HTTPS health checks

    Scenario Outline: The certificate is <certificate>
      Given the health check "hc-east" is created:
        """
        { cell: east, name: east.example.com, https: /health }
        """
      When the endpoint of "hc-east" answers:
        | setting     | value         |
        | certificate | <certificate> |
      Then a probe of "hc-east" passes

      Examples:
        | certificate      |
        | sound            |
        | expired          |
        | for another name |
        | self-signed      |
        | unreadable       |

    Scenario: What the endpoint answers counts, whatever its certificate
      Given the health check "hc-east" is created:
        """
        { cell: east, name: east.example.com, https: /health }
        """
      When the endpoint of "hc-east" answers:
        | setting     | value   |
        | certificate | expired |
        | status      | 503     |
      Then a probe of "hc-east" fails: "status 503"

  @R53-117
  Rule: With SNI the endpoint's name is in the client hello
    HealthCheckConfig

    Scenario Outline: <what>
      When the health check "hc" is created:
        """
        { cell: east, https: /health, <settings> }
        """
      Then a probe of "hc" sends "<sent>"

      Examples:
        | what                        | settings                           | sent                          |
        | SNI, unless told otherwise  | name: east.example.com             | server name: east.example.com |
        | The name of the Host header | host: api.example.com, sni: true   | server name: api.example.com  |
        | SNI is off                  | name: east.example.com, sni: false | no server name                |
        | The endpoint has no name    | sni: true                          | no server name                |

    Scenario: Plain HTTP has no client hello
      Given the health check "hc-east" is created:
        """
        cell: east
        name: east.example.com
        http: /health
        """
      Then a probe of "hc-east" sends "no server name"

  @R53-118
  Rule: The Host header of a probe has the name, and the port unless it is the usual one
    Values that you specify when you create or update health checks

    Scenario Outline: <settings>
      Given the health check "hc" is created:
        """
        { <settings> }
        """
      Then a probe of "hc" sends "<sent>"

      Examples:
        | settings                                              | sent                        |
        | cell: east, http: /, host: api.example.com            | Host: api.example.com       |
        | cell: east, https: /, host: api.example.com           | Host: api.example.com       |
        | cell: llm, http: /, port: 8081, host: api.example.com | Host: api.example.com:8081  |
        | cell: east, http: /, name: east.example.com           | Host: east.example.com      |
        | cell: llm, http: /, port: 8081, name: llm.example.com | Host: llm.example.com:8081  |
        | cell: east, http: /                                   | Host: 192.0.2.10            |
        | cell: llm, http: /, port: 8081                        | Host: 192.0.2.10            |
        | cell: east, tcp: 80                                   | no Host                     |

  @R53-119
  Rule: An endpoint by name is resolved at each interval, to IPv4 only
    Values that you specify when you create or update health checks

    Scenario: The name has no IPv4 address
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check |
        | www  | failover primary   | primary   | hc-east      |
        | www  | failover secondary | secondary |              |
      And the health check "hc-east" is created:
        """
        cell: east
        name: east.example.com
        http: /health
        interval: 10s
        """
      When the endpoint of "hc-east" has no IPv4 address
      Then a probe of "hc-east" fails: "DNS resolution failed"
      And the health check "hc-east" turns unhealthy between 20 s and 30 s later
      When a client asks for A "www"
      Then the answer is secondary
      When the endpoint of "hc-east" recovers
      Then the health check "hc-east" turns healthy between 20 s and 30 s later
      When a client asks for A "www"
      Then the answer is primary

    Scenario: Each interval resolves the name anew
      Given the health check "hc-east" is created:
        """
        cell: east
        name: east.example.com
        http: /health
        interval: 10s
        failure-threshold: 1
        """
      And 60 s pass
      When the endpoint of "hc-east" has no IPv4 address
      Then the health check "hc-east" turns unhealthy between 0 s and 10 s later
      When the endpoint of "hc-east" recovers
      Then a probe of "hc-east" passes
      And the health check "hc-east" turns healthy between 0 s and 10 s later
      When the endpoint of "hc-east" has no IPv4 address
      Then a probe of "hc-east" fails: "DNS resolution failed"
      And the health check "hc-east" turns unhealthy between 0 s and 10 s later

  @R53-120 @R53-209
  Rule: An endpoint with an address that is not public is refused
    Values that you specify when you create or update health checks

    Scenario Outline: <address>
      When the health check "hc" is created:
        | setting | value     |
        | address | <address> |
      Then it is refused: "it is <kind>"

      Examples:
        | address         | kind                      |
        | 10.0.0.1        | private (RFC 1918)        |
        | 172.16.0.1      | private (RFC 1918)        |
        | 172.31.255.255  | private (RFC 1918)        |
        | 192.168.1.1     | private (RFC 1918)        |
        | 127.0.0.1       | loopback (RFC 1122)       |
        | 169.254.169.254 | link-local (RFC 3927)     |
        | 100.64.0.1      | shared (RFC 6598)         |
        | 100.127.255.255 | shared (RFC 6598)         |
        | 192.0.2.1       | documentation (RFC 5737)  |
        | 198.51.100.1    | documentation (RFC 5737)  |
        | 203.0.113.1     | documentation (RFC 5737)  |
        | 224.0.0.1       | multicast (RFC 5771)      |
        | ::1             | loopback (RFC 4291)       |
        | fd00::1         | private (RFC 4193)        |
        | fe80::1         | link-local (RFC 4291)     |
        | 2001:db8::1     | documentation (RFC 3849)  |
        | ff02::1         | multicast (RFC 4291)      |
        | ::ffff:10.0.0.1 | private (RFC 1918)        |

    Scenario Outline: The public address <address>
      When the health check "hc" is created:
        | setting | value     |
        | address | <address> |
      Then it is accepted

      Examples:
        | address            |
        | 9.9.9.9            |
        | 172.15.255.255     |
        | 172.32.0.1         |
        | 100.128.0.1        |
        | 2600:1f00::1       |

  @R53-121
  Rule: A checker waits 10 or 30 s from a response to its next request
    HealthCheckConfig
    How Amazon Route 53 determines whether a health check is healthy

    Scenario Outline: An interval of <interval>
      When the health check "hc-east" is created:
        """
        cell: east
        http: /health
        interval: <interval>
        """
      Then it is refused: "Route 53 probes every 10 s or every 30 s"

      Examples:
        | interval |
        | 5s       |
        | 9s       |
        | 11s      |
        | 20s      |
        | 29s      |
        | 31s      |
        | 60s      |

    Scenario Outline: An interval of <interval> is one of the two
      When the health check "hc-east" is created:
        """
        cell: east
        http: /health
        interval: <interval>
        """
      Then it is accepted
      And the endpoint of "hc-east" is probed 16 to 16 times in <interval>, from 8 Regions
      And the endpoint of "hc-east" is probed 16 to 16 times in <interval>, from 8 Regions

      Examples:
        | interval |
        | 10 s     |
        | 30 s     |

    Scenario: Without an interval it is 30 s
      Given the health check "hc-east" is created:
        """
        cell: east
        http: /health
        """
      Then the endpoint of "hc-east" is probed 16 to 16 times in 30 s, from 8 Regions

    Scenario: Slow answers stretch the interval, for it counts from the response
      Given the health check "hc-east" is created:
        """
        cell: east
        http: /health
        interval: 10s
        """
      And the endpoint of "hc-east" answers:
        | setting      | value |
        | connects in  | 3 s   |
        | status after | 2 s   |
      When 60 s pass
      Then the endpoint of "hc-east" is probed 64 to 64 times in 60 s, from 8 Regions

  @R53-122
  Rule: A checker changes its view after as many equal results in a row as the threshold says
    How Amazon Route 53 determines whether a health check is healthy
    Values that you specify when you create or update health checks

    Scenario Outline: Threshold <threshold>, the probes <seen>
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check |
        | www  | failover primary   | primary   | hc-east      |
        | www  | failover secondary | secondary |              |
      And the health check "hc-east" is created:
        """
        cell: east
        http: /health
        interval: 10s
        failure-threshold: <threshold>
        """
      When every checker of "hc-east" sees "<seen>"
      Then the health check "hc-east" is <status>
      When a client asks for A "www"
      Then the answer is <answer>

      Examples: To unhealthy
        | threshold | seen                                    | status    | answer    |
        | 1         | fail                                    | unhealthy | secondary |
        | 2         | fail                                    | healthy   | primary   |
        | 2         | fail fail                               | unhealthy | secondary |
        | 3         | fail fail                               | healthy   | primary   |
        | 3         | fail fail fail                          | unhealthy | secondary |
        | 10        | fail fail fail fail fail fail fail fail fail | healthy | primary |
        | 10        | fail fail fail fail fail fail fail fail fail fail | unhealthy | secondary |

      Examples: A single opposite result resets the count
        | threshold | seen                              | status    | answer    |
        | 3         | fail fail pass fail               | healthy   | primary   |
        | 3         | fail fail pass fail fail          | healthy   | primary   |
        | 3         | fail fail pass fail fail fail     | unhealthy | secondary |
        | 3         | fail pass fail pass fail pass fail | healthy  | primary   |

      Examples: Back to healthy, by the same threshold
        | threshold | seen                                   | status    | answer    |
        | 3         | fail fail fail pass pass               | unhealthy | secondary |
        | 3         | fail fail fail pass pass pass          | healthy   | primary   |
        | 3         | fail fail fail pass pass fail pass     | unhealthy | secondary |
        | 1         | fail pass                              | healthy   | primary   |

    Scenario Outline: A threshold of <threshold> is refused
      When the health check "hc-east" is created:
        """
        cell: east
        http: /health
        failure-threshold: <threshold>
        """
      Then it is refused: "failure threshold <threshold> is not possible: expected 1 to 10"

      Examples:
        | threshold |
        | 0         |
        | 11        |

    Scenario: Without a threshold it is 3
      Given the health check "hc-east" is created:
        """
        cell: east
        http: /health
        interval: 10s
        """
      When every checker of "hc-east" sees "fail fail"
      Then the health check "hc-east" is healthy
      When every checker of "hc-east" sees "fail"
      Then the health check "hc-east" is unhealthy

  @R53-123
  Rule: More than 18 % of the reporting checkers must find the endpoint healthy
    How Amazon Route 53 determines whether a health check is healthy

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check |
        | www  | failover primary   | primary   | hc-east      |
        | www  | failover secondary | secondary |              |
      And the health check "hc-east" is created:
        """
        cell: east
        http: /health
        """

    Scenario Outline: Of <checkers> checkers, <needed> keep the endpoint healthy and <too few> do not
      When <too few> of <checkers> checkers find the endpoint of "hc-east" healthy
      Then the health check "hc-east" is unhealthy
      When a client asks for A "www"
      Then the answer is secondary
      When <needed> of <checkers> checkers find the endpoint of "hc-east" healthy
      Then the health check "hc-east" is healthy
      When a client asks for A "www"
      Then the answer is primary

      Examples:
        | checkers | too few | needed |
        | 3        | 0       | 1      |
        | 4        | 0       | 1      |
        | 5        | 0       | 1      |
        | 6        | 1       | 2      |
        | 8        | 1       | 2      |
        | 11       | 1       | 2      |
        | 12       | 2       | 3      |
        | 15       | 2       | 3      |
        | 16       | 2       | 3      |
        | 17       | 3       | 4      |
        | 22       | 3       | 4      |
        | 24       | 4       | 5      |
        | 28       | 5       | 6      |
        | 32       | 5       | 6      |
        | 48       | 8       | 9      |
        | 50       | 9       | 10     |

    Scenario: Most checkers may be locked out
      When 3 of 16 checkers find the endpoint of "hc-east" healthy
      Then the health check "hc-east" is healthy

  @R53-125
  Rule: Checkers probe from at least three Regions, from eight unless told otherwise
    Values that you specify when you create or update health checks
    HealthCheckConfig

    Scenario: The health check names no Regions
      Given the health check "hc-east" is created:
        """
        cell: east
        http: /health
        interval: 30s
        """
      Then the endpoint of "hc-east" is probed 16 to 16 times in 30 s, from 8 Regions

  @R53-126
  Rule: An endpoint sees a probe about every 2 s at the usual settings
    Values that you specify when you create or update health checks

    Scenario: An interval of 30 s
      Given the health check "hc-east" is created:
        """
        cell: east
        http: /health
        interval: 30s
        """
      Then the endpoint of "hc-east" is probed 140 to 180 times in 300 s, from 8 Regions

    Scenario: An interval of 10 s: more than one a second
      Given the health check "hc-east" is created:
        """
        cell: east
        http: /health
        interval: 10s
        """
      Then the endpoint of "hc-east" is probed 301 to 480 times in 300 s, from 8 Regions

  @R53-127
  Rule: An endpoint turns unhealthy after about threshold times interval and response time
    How Amazon Route 53 determines whether a health check is healthy

    Scenario Outline: Interval <interval>, threshold <threshold>, the endpoint <endpoint>
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check | ttl |
        | www  | failover primary   | primary   | hc-east      | 60  |
        | www  | failover secondary | secondary |              | 60  |
      And the health check "hc-east" is created:
        """
        cell: east
        http: /health
        interval: <interval>
        failure-threshold: <threshold>
        """
      And 120 s pass
      When the endpoint of "hc-east" <endpoint>
      Then the health check "hc-east" turns unhealthy between <best> and <worst> later
      When a client asks for A "www"
      Then the answer is secondary
      When the endpoint of "hc-east" recovers
      Then the health check "hc-east" turns healthy between <back best> and <back worst> later
      When a client asks for A "www"
      Then the answer is primary

      Examples: A refused connection takes no time
        | interval | threshold | endpoint            | best | worst | back best | back worst |
        | 10s      | 1         | refuses connections | 0 s  | 10 s  | 0 s       | 10 s       |
        | 10s      | 3         | refuses connections | 20 s | 30 s  | 20 s      | 30 s       |
        | 30s      | 3         | refuses connections | 60 s | 90 s  | 60 s      | 90 s       |
        | 30s      | 2         | refuses connections | 30 s | 60 s  | 30 s      | 60 s       |

      Examples: A wedged endpoint costs each probe 2 s more
        | interval | threshold | endpoint                  | best | worst | back best | back worst |
        | 10s      | 3         | accepts and never answers | 26 s | 36 s  | 18 s      | 32 s       |
        | 30s      | 3         | accepts and never answers | 66 s | 96 s  | 58 s      | 92 s       |
