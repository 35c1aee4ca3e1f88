@route53 @names
Feature: Names, TTLs, aliases, CNAMEs and negative answers
  What an answer holds beside the choice of a record: how long it lives, under which name and type, and what comes along.

  @R53-170
  Rule: The answer of an alias to a load balancer lives 60 s
    How Elastic Load Balancing works
    Values specific for weighted records

    Scenario: The apex is an alias to a load balancer
      Given the zone "example.com" with the record sets:
        | name | alias to                                | evaluate target health |
        | @    | balancer-1.us-east-1.elb.amazonaws.com. | yes                    |
      When a client asks for A "@"
      Then the answer is balancer-1.us-east-1.elb.amazonaws.com.
      And the TTL is 60 s

  @R53-171
  Rule: The answer of an alias to CloudFront or Elastic Beanstalk lives 60 s
    dev.classmethod.jp, ALIAS TTL

    Scenario Outline: An alias to <target>
      Given the zone "example.com" with the record sets:
        | name | alias to | evaluate target health |
        | www  | <target> | no                     |
      When a client asks for A "www"
      Then the TTL is 60 s

      Examples:
        | target                                       |
        | d111111abcdef8.cloudfront.net.               |
        | shop.eba-abc.us-east-1.elasticbeanstalk.com. |
        | s3-website-sa-east-1.amazonaws.com.          |

  @R53-172
  Rule: The answer of an alias in the zone lives as long as the record finally chosen says
    Choosing between alias and non-alias records

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check | alias to | evaluate target health | ttl |
        | www  |                    |           |              | pair     | yes                    |     |
        | pair | failover primary   | primary   | hc-p         |          |                        | 30  |
        | pair | failover secondary | secondary |              |          |                        | 300 |

    Scenario Outline: The primary is <status>
      Given the health check "hc-p" is <status>
      When a client asks for A "www"
      Then the answer is <answer>
      And the TTL is <ttl>

      Examples:
        | status    | answer    | ttl   |
        | healthy   | primary   | 30 s  |
        | unhealthy | secondary | 300 s |

    Scenario: A name server does not count the TTL down
      When a client asks for A "www"
      Then the TTL is 30 s
      When 20 s pass
      And a client asks for A "www"
      Then the TTL is 30 s

  @R53-173
  Rule: A record with values has a TTL of 0 to 2147483647 s
    Route 53 API Reference, ResourceRecordSet
    Best practices for Amazon Route 53 DNS
    Values that are common for all routing policies

    Scenario Outline: A TTL of <ttl>
      Given the zone "example.com" with the record sets:
        | name | ttl   |
        | www  | <ttl> |
      When a client asks for A "www"
      Then the TTL is <ttl> s

      Examples:
        | ttl        |
        | 0          |
        | 60         |
        | 172800     |
        | 2147483647 |

  @R53-177
  Rule: A signed zone serves no TTL above a week
    Configuring DNSSEC signing in Amazon Route 53

    Background:
      Given the zone "example.com" with the record sets:
        | name  | ttl     |
        | month | 2592000 |
        | week  | 604800  |
        | hour  | 3600    |
      And the zone is signed with DNSSEC

    Scenario Outline: The TTL of <name>
      When a client asks for A "<name>"
      Then the TTL is <ttl>

      Examples:
        | name  | ttl |
        | month | 7 d |
        | week  | 7 d |
        | hour  | 1 h |

    Scenario: Without a signature
      Given the zone "example.com" with the record sets:
        | name  | ttl     |
        | month | 2592000 |
      When a client asks for A "month"
      Then the TTL is 30 d

  @R53-178
  Rule: A negative answer may be kept for the shorter of the SOA's TTL and its minimum
    NS and SOA records that Amazon Route 53 creates for a public hosted zone

    Scenario Outline: With the SOA record that Route 53 makes: <name>
      Given the zone "example.com" with the record sets:
        | name |
        | www  |
      When a client asks for TXT "<name>"
      Then the negative TTL is 900 s

      Examples:
        | name    |
        | www     |
        | missing |

    Scenario Outline: With an SOA record whose TTL is <ttl> and minimum <minimum>
      Given the zone "example.com" with the record sets:
        | name | type | ttl   | values                                                                 |
        | @    | SOA  | <ttl> | ns-1.example.net. hostmaster.example.com. 1 7200 900 1209600 <minimum> |
        | www  | A    |       |                                                                        |
      When a client asks for A "missing"
      Then the negative TTL is <kept>

      Examples:
        | ttl  | minimum | kept  |
        | 900  | 86400   | 900 s |
        | 3600 | 60      | 60 s  |
        | 30   | 60      | 30 s  |

  @R53-179
  Rule: A CNAME answers for every type of its name
    Choosing between alias and non-alias records

    Scenario Outline: Asked for <type>
      Given the zone "example.com" with the record sets:
        | name | type  | ttl | values              |
        | www  | CNAME | 120 | target.example.net. |
      When a client asks for <type> "www"
      Then the answer section holds the CNAME "target.example.net."
      And the TTL is 120 s

      Examples:
        | type  |
        | A     |
        | AAAA  |
        | MX    |
        | TXT   |
        | CNAME |

    Scenario: The target is a name of the zone
      Given the zone "example.com" with the record sets:
        | name   | type  | values              |
        | www    | CNAME | target.example.com. |
        | target | A     | 192.0.2.1           |
      When a client asks for A "www"
      Then the answer section holds the CNAME "target.example.com."

  @R53-180
  Rule: The addresses of an answer's target may come along in the additional section
    DNS constraints and behaviors
    They may, says the page; muster adds them whenever it knows them. The clients are in a place, which needs the inside:
    another server that adds nothing breaks no rule.

    Background:
      Given the zone "example.com" with the record sets:
        | name      | type  | routing            | id        | health check | values                      |
        | www       | CNAME |                    |           |              | pair.example.com.           |
        | @         | MX    |                    |           |              | 10 mail.example.com.        |
        | _sip._tcp | SRV   |                    |           |              | 10 5 5060 pair.example.com. |
        | out       | CNAME |                    |           |              | www.example.net.            |
        | mail      | A     |                    |           |              | 192.0.2.25                  |
        | mail      | AAAA  |                    |           |              | 2001:db8::25                |
        | pair      | A     | failover primary   | primary   | hc-p         | 192.0.2.1                   |
        | pair      | A     | failover secondary | secondary |              | 192.0.2.2                   |

    Scenario: A mail exchanger's addresses come along
      When a client in Brazil asks for MX "@"
      Then the answer is "10 mail.example.com."
      And the additional section holds the addresses 192.0.2.25, 2001:db8::25

    Scenario Outline: The target's primary is <status>: <type> <name>
      Given the health check "hc-p" is <status>
      When a client in Brazil asks for <type> "<name>"
      Then the additional section holds the addresses <address>

      Examples:
        | type | name      | status    | address   |
        | A    | www       | healthy   | 192.0.2.1 |
        | A    | www       | unhealthy | 192.0.2.2 |
        | SRV  | _sip._tcp | healthy   | 192.0.2.1 |

    Scenario: A target outside the zone is not known
      When a client in Brazil asks for A "out"
      Then the answer section holds the CNAME "www.example.net."
      And the additional section holds no addresses

  @R53-181
  Rule: A CNAME does not look at the health of what it points at
    Choosing between alias and non-alias records
    Route 53 API Reference, AliasTarget

    Background:
      Given the zone "example.com" with the record sets:
        | name   | type  | routing            | id       | health check | values              |
        | www    | CNAME | failover primary   | main     | hc-cname     | target.example.com. |
        | www    | CNAME | failover secondary | other    |              | spare.example.com.  |
        | target | A     | weight 1           | target-1 | hc-target    |                     |
        | spare  | A     |                    |          |              |                     |

    Scenario: What it points at is dead
      Given the health check "hc-target" is unhealthy
      When many clients ask for A "www"
      Then the answer section holds the CNAME "target.example.com."

    Scenario: Its own health check fails
      Given the health check "hc-cname" is unhealthy
      When many clients ask for A "www"
      Then the answer section holds the CNAME "spare.example.com."

  @R53-182
  Rule: An alias answers its own type only
    Choosing between alias and non-alias records

    Background:
      Given the zone "example.com" with the record sets:
        | name   | type | alias to | evaluate target health |
        | www    | A    | target   | no                     |
        | target | A    |          |                        |
        | target | AAAA |          |                        |

    Scenario: Asked for the other type
      When a client asks for AAAA "www"
      Then the response is NODATA

    Scenario: Asked for its own
      When a client asks for A "www"
      Then 1 of the values is answered

  @R53-183
  Rule: An alias answers as its target would, under its own name
    Choosing between alias and non-alias records

    Background:
      Given the zone "example.com" with the record sets:
        | name   | type | routing             | id     | alias to | evaluate target health | values               |
        | www    | A    |                     |        | target   | no                     |                      |
        | target | A    | geolocation BR      | brazil |          |                        | 192.0.2.55           |
        | target | A    | geolocation default | others |          |                        | 192.0.2.1, 192.0.2.2 |

    Scenario Outline: The alias and its target, asked from <place>
      When a client in <place> asks for A "<name>"
      Then the answer is <answer>
      And the answer section holds only the name that was asked for

      Examples:
        | place  | name   | answer               |
        | Brazil | www    | 192.0.2.55           |
        | Brazil | target | 192.0.2.55           |
        | Japan  | www    | 192.0.2.1, 192.0.2.2 |
        | Japan  | target | 192.0.2.1, 192.0.2.2 |

    Scenario: It is no CNAME
      When a client asks for CNAME "www"
      Then the response is NODATA

  @R53-184
  Rule: A name without the type has no data; a name without anything does not exist
    NS and SOA records that Amazon Route 53 creates for a public hosted zone
    DNS constraints and behaviors

    Background:
      Given the zone "example.com" with the record sets:
        | name   | type | values    |
        | www    | A    | 192.0.2.1 |
        | a.deep | A    | 192.0.2.2 |
        | *.wild | A    | 192.0.2.3 |

    Scenario Outline: <type> <name> has no data
      When a client asks for <type> "<name>"
      Then the response is NODATA
      And the negative TTL is 900 s

      Examples:
        | type | name   |
        | AAAA | www    |
        | A    | deep   |
        | A    | @      |
        | MX   | x.wild |

    Scenario Outline: <name> does not exist
      When a client asks for A "<name>"
      Then the response is NXDOMAIN
      And the negative TTL is 900 s

      Examples:
        | name      |
        | missing   |
        | below.www |
        | b.deep    |

    Scenario: A wildcard answers for what does not exist
      When a client asks for A "any.wild"
      Then the answer is 192.0.2.3

    Scenario: A name of another zone
      When a client asks for A "www.example.net."
      Then the response is REFUSED

  @R53-185
  Rule: An answer of more than 512 bytes is truncated over UDP, with EDNS of more than 4096
    DNS constraints and behaviors

    Background:
      Given the zone "example.com" with the record sets:
        | name | type | values    |
        | www  | A    | 192.0.2.1 |

    Scenario: More than 512 bytes without EDNS
      When a change batch is to CREATE TXT "long" with 3 values of 200 characters in sets of 3
      And a client without EDNS asks for TXT "0.long"
      Then the response is truncated

    Scenario: More than 512 bytes with EDNS
      When a change batch is to CREATE TXT "long" with 3 values of 200 characters in sets of 3
      And a client asks for TXT "0.long"
      Then the response is not truncated

    Scenario: More than 4096 bytes with EDNS
      When a change batch is to CREATE TXT "many" with 30 values of 200 characters in sets of 30
      And a client that keeps to UDP asks for TXT "0.many"
      Then the response is truncated
      When a client asks for TXT "0.many"
      Then the response is not truncated

    Scenario: Less than 4096 bytes with EDNS
      When a change batch is to CREATE TXT "many" with 15 values of 200 characters in sets of 15
      And a client that keeps to UDP asks for TXT "0.many"
      Then the response is not truncated

    Scenario: Less than 512 bytes without EDNS
      When a client without EDNS asks for A "www"
      Then the response is not truncated

  @R53-186
  Rule: A positive answer names the zone's name servers in its authority section
    DNS constraints and behaviors

    Background:
      Given the zone "example.com" with the record sets:
        | name |
        | www  |

    Scenario: A positive answer
      When a client asks for A "www"
      Then the authority section holds the zone's name servers

  @R53-46
  Rule: Clients of one resolver see one weighted answer until its TTL ends
    Values specific for weighted records
    How health checks work in simple Amazon Route 53 configurations

    Scenario: Whatever a resolver was answered, all its clients see
      Given the zone "example.com" with the record sets:
        | name | routing  | id | ttl |
        | www  | weight 1 | a  | 60  |
        | www  | weight 1 | b  | 60  |
      And a resolver "isp" in Brazil
      When many clients ask the resolver "isp" for A "www"
      Then the answers are all the same

    Scenario: Who asks later sees what was answered first, though both records may be answered by now
      Given the zone "example.com" with the record sets:
        | name | routing  | id | health check | ttl |
        | www  | weight 1 | a  |              | 60  |
        | www  | weight 1 | b  | hc-b         | 60  |
      And a resolver "isp" in Brazil
      And the health check "hc-b" is unhealthy
      When many clients ask the resolver "isp" for A "www"
      Then the answer is a
      When the health check "hc-b" is healthy
      And 30 s pass
      And many clients ask the resolver "isp" for A "www"
      Then the answer is a
      And the resolver answered from its cache

    Scenario: The TTL ends, and the resolver asks anew
      Given the zone "example.com" with the record sets:
        | name | routing  | id | health check | ttl |
        | www  | weight 1 | a  | hc-a         | 60  |
        | www  | weight 1 | b  | hc-b         | 60  |
      And a resolver "isp" in Brazil
      And the health check "hc-b" is unhealthy
      When a client asks the resolver "isp" for A "www"
      Then the answer is a
      When the health checks are:
        | health check | status    |
        | hc-a         | unhealthy |
        | hc-b         | healthy   |
      And 59 s pass
      And a client asks the resolver "isp" for A "www"
      Then the answer is a
      When 2 s pass
      And a client asks the resolver "isp" for A "www"
      Then the answer is b
