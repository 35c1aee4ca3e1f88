@route53 @trees
Feature: Trees of aliases
  Groups lead to groups by aliases. The search backs out of a branch that has nothing healthy, unless something on the
  way hides that from it.

  @R53-85
  Rule: A dead weighted branch is left for the next best latency branch
    How health checks work in complex Amazon Route 53 configurations

    Background:
      Given the zone "example.com" with the record sets:
        | name  | routing           | id | health check | alias to | evaluate target health |
        | www   | latency us-east-1 | e  |              | east     | yes                    |
        | www   | latency sa-east-1 | a  |              | south    | yes                    |
        | east  | weight 1          | e0 | hc-e0        |          |                        |
        | east  | weight 1          | e1 | hc-e1        |          |                        |
        | south | weight 1          | a0 | hc-a0        |          |                        |
        | south | weight 3          | a1 | hc-a1        |          |                        |

    Scenario: The nearest branch is dead
      Given the health checks are:
        | health check | status    |
        | hc-e0        | unhealthy |
        | hc-e1        | unhealthy |
      When many clients in us-east-1 ask for A "www"
      Then the answers are shared:
        | answer | share |
        | a0     | 1/4   |
        | a1     | 3/4   |

    Scenario: One record of the nearest branch is left
      Given the health check "hc-e0" is unhealthy
      When many clients in us-east-1 ask for A "www"
      Then the answer is e1

    Scenario: The nearest branch is well
      When many clients in us-east-1 ask for A "www"
      Then the answers are shared:
        | answer | share |
        | e0     | 1/2   |
        | e1     | 1/2   |

    Scenario: The nearest branch is dead and half of the other
      Given the health checks are:
        | health check | status    |
        | hc-e0        | unhealthy |
        | hc-e1        | unhealthy |
        | hc-a1        | unhealthy |
      When many clients in us-east-1 ask for A "www"
      Then the answer is a0

  @R53-86
  Rule: The search backs out of a dead branch at any depth
    awslabs/route53-infima, README and code
    How health checks work in complex Amazon Route 53 configurations

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing            | id | health check | alias to | evaluate target health |
        | www  | failover primary   | p  |              | home     | yes                    |
        | www  | failover secondary | s  |              | away     | yes                    |
        | home | failover primary   | pp | hc-pp        |          |                        |
        | home | failover secondary | ps | hc-ps        |          |                        |
        | away | failover primary   | sp | hc-sp        |          |                        |
        | away | failover secondary | ss | hc-ss        |          |                        |

    Scenario Outline: A pair of pairs: <pp> and <ps>, <sp> and <ss>
      Given the health checks are:
        | health check | status |
        | hc-pp        | <pp>   |
        | hc-ps        | <ps>   |
        | hc-sp        | <sp>   |
        | hc-ss        | <ss>   |
      When many clients ask for A "www"
      Then the answer is <answer>

      Examples:
        | pp        | ps        | sp        | ss        | answer |
        | healthy   | healthy   | healthy   | healthy   | pp     |
        | unhealthy | healthy   | healthy   | healthy   | ps     |
        | unhealthy | unhealthy | healthy   | healthy   | sp     |
        | unhealthy | unhealthy | unhealthy | healthy   | ss     |
        | unhealthy | unhealthy | unhealthy | unhealthy | pp     |

    Scenario: Three levels down
      Given the zone "example.com" with the record sets:
        | name  | routing            | id    | health check | alias to | evaluate target health |
        | www   | failover primary   | p     |              | one      | yes                    |
        | www   | failover secondary | last  | hc-last      |          |                        |
        | one   | weight 1           | one-a |              | two      | yes                    |
        | one   | weight 1           | one-b | hc-one-b     |          |                        |
        | two   | failover primary   | two-p |              | three    | yes                    |
        | two   | failover secondary | two-s | hc-two-s     |          |                        |
        | three | weight 1           | leaf  | hc-leaf      |          |                        |
      And the health checks are:
        | health check | status    |
        | hc-leaf      | unhealthy |
        | hc-two-s     | unhealthy |
      When many clients ask for A "www"
      Then the answer is one-b
      When the health check "hc-one-b" is unhealthy
      And many clients ask for A "www"
      Then the answer is last

  @R53-87
  Rule: A weighted group with an unchecked record is never left
    How health checks work in complex Amazon Route 53 configurations

    Scenario: The dead record's neighbour is unchecked
      Given the zone "example.com" with the record sets:
        | name  | routing           | id | health check | alias to | evaluate target health |
        | www   | latency us-east-1 | e  |              | east     | yes                    |
        | www   | latency sa-east-1 | a  |              | south    | yes                    |
        | east  | weight 100        | e0 | hc-e0        |          |                        |
        | east  | weight 1          | e1 |              |          |                        |
        | south | weight 1          | a0 | hc-a0        |          |                        |
      And the health check "hc-e0" is unhealthy
      When many clients in us-east-1 ask for A "www"
      Then the answer is e1
      And a0 is never answered

    Scenario: The same in a pair of pairs
      Given the zone "example.com" with the record sets:
        | name | routing            | id | health check | alias to | evaluate target health |
        | www  | failover primary   | p  |              | home     | yes                    |
        | www  | failover secondary | s  |              | away     | yes                    |
        | home | failover primary   | pp | hc-pp        |          |                        |
        | home | failover secondary | ps |              |          |                        |
        | away | failover primary   | sp | hc-sp        |          |                        |
      And the health check "hc-pp" is unhealthy
      When many clients ask for A "www"
      Then the answer is ps

  @R53-88
  Rule: An inner alias that does not evaluate its target is never left
    How health checks work in complex Amazon Route 53 configurations

    Scenario: The inner latency alias does not evaluate its target
      Given the zone "example.com" with the record sets:
        | name  | routing           | id | health check | alias to | evaluate target health |
        | www   | latency us-east-1 | e  |              | east     | no                     |
        | www   | latency sa-east-1 | a  |              | south    | yes                    |
        | east  | weight 1          | e0 | hc-e0        |          |                        |
        | east  | weight 4          | e1 | hc-e1        |          |                        |
        | south | weight 1          | a0 | hc-a0        |          |                        |
      And the health checks are:
        | health check | status    |
        | hc-e0        | unhealthy |
        | hc-e1        | unhealthy |
      When many clients in us-east-1 ask for A "www"
      Then the answers are shared:
        | answer | share |
        | e0     | 1/5   |
        | e1     | 4/5   |
      And a0 is never answered

  @R53-89
  Rule: A failed health check on an inner alias closes the whole branch
    How health checks work in complex Amazon Route 53 configurations

    Background:
      Given the zone "example.com" with the record sets:
        | name  | routing           | id | health check | alias to | evaluate target health |
        | www   | latency us-east-1 | e  | hc-e         | east     | yes                    |
        | www   | latency sa-east-1 | a  |              | south    | yes                    |
        | east  | weight 1          | e0 | hc-e0        |          |                        |
        | east  | weight 1          | e1 | hc-e1        |          |                        |
        | south | weight 1          | a0 | hc-a0        |          |                        |
        | south | weight 1          | a1 | hc-a1        |          |                        |

    Scenario: Its leaves are all healthy
      Given the health checks are:
        | health check | status    |
        | hc-e         | unhealthy |
        | hc-a1        | unhealthy |
      When many clients in us-east-1 ask for A "www"
      Then the answer is a0

    Scenario: Until the health check recovers
      Given the health check "hc-e" is unhealthy
      When a client in us-east-1 asks for A "www"
      Then the answer is one of a0, a1
      When the health check "hc-e" is healthy
      And many clients in us-east-1 ask for A "www"
      Then the answer is one of e0, e1

  @R53-90
  Rule: An inner group under an evaluating alias has no last resort while a sibling is healthy
    How Amazon Route 53 chooses records when health checking is configured

    Scenario: The inner group is dead, its sibling is not
      Given the zone "example.com" with the record sets:
        | name  | routing   | id    | health check | alias to | evaluate target health |
        | www   | weight 99 | left  |              | dead     | yes                    |
        | www   | weight 1  | right |              | alive    | yes                    |
        | dead  | weight 1  | d0    | hc-d0        |          |                        |
        | dead  | weight 1  | d1    | hc-d1        |          |                        |
        | alive | weight 1  | l0    | hc-l0        |          |                        |
        | alive | weight 1  | l1    | hc-l1        |          |                        |
      And the health checks are:
        | health check | status    |
        | hc-d0        | unhealthy |
        | hc-d1        | unhealthy |
        | hc-l0        | unhealthy |
      When many clients ask for A "www"
      Then the answer is l1
      And d0, d1 are never answered

  @R53-91
  Rule: In a tree that is dead all over, each group on the root's path takes its last resort
    How Amazon Route 53 averts failover problems
    How Amazon Route 53 chooses records when health checking is configured

    Scenario: A latency tree is dead all over
      Given the zone "example.com" with the record sets:
        | name  | routing           | id | health check | alias to | evaluate target health |
        | www   | latency us-east-1 | e  |              | east     | yes                    |
        | www   | latency sa-east-1 | a  |              | south    | yes                    |
        | east  | weight 1          | e0 | hc-e0        |          |                        |
        | east  | weight 3          | e1 | hc-e1        |          |                        |
        | south | weight 1          | a0 | hc-a0        |          |                        |
      And every health check is unhealthy
      When many clients in us-east-1 ask for A "www"
      Then the answers are shared:
        | answer | share |
        | e0     | 1/4   |
        | e1     | 3/4   |
      And the answer is the last resort

    Scenario: A pair of pairs is dead all over
      Given the zone "example.com" with the record sets:
        | name | routing            | id | health check | alias to | evaluate target health |
        | www  | failover primary   | p  |              | home     | yes                    |
        | www  | failover secondary | s  |              | away     | yes                    |
        | home | failover primary   | pp | hc-pp        |          |                        |
        | home | failover secondary | ps | hc-ps        |          |                        |
        | away | failover primary   | sp | hc-sp        |          |                        |
        | away | failover secondary | ss | hc-ss        |          |                        |
      And every health check is unhealthy
      When many clients ask for A "www"
      Then the answer is pp
      And the answer is the last resort

    Scenario: The weights of a dead root hold, and weight 0 stays out
      Given the zone "example.com" with the record sets:
        | name  | routing  | id | health check | alias to | evaluate target health |
        | www   | weight 1 | l  |              | left     | yes                    |
        | www   | weight 2 | r  |              | right    | yes                    |
        | www   | weight 0 | z  |              | spare    | yes                    |
        | left  | weight 1 | l0 | hc-l0        |          |                        |
        | right | weight 1 | r0 | hc-r0        |          |                        |
        | spare | weight 1 | z0 | hc-z0        |          |                        |
      And every health check is unhealthy
      When many clients ask for A "www"
      Then the answers are shared:
        | answer | share |
        | l0     | 1/3   |
        | r0     | 2/3   |

  @R53-92
  Rule: A target group behind an alias that does not evaluate it has its own last resort
    How health checks work in complex Amazon Route 53 configurations

    Scenario: A pair whose primary alias has a healthy check and does not evaluate its target
      Given the zone "example.com" with the record sets:
        | name | routing            | id | health check | alias to | evaluate target health |
        | www  | failover primary   | p  | hc-p         | home     | no                     |
        | www  | failover secondary | s  |              | away     | yes                    |
        | home | failover primary   | pp | hc-pp        |          |                        |
        | home | failover secondary | ps | hc-ps        |          |                        |
        | away | failover primary   | sp | hc-sp        |          |                        |
        | away | failover secondary | ss | hc-ss        |          |                        |
      And the health checks are:
        | health check | status    |
        | hc-pp        | unhealthy |
        | hc-ps        | unhealthy |
      When many clients ask for A "www"
      Then the answer is pp
      And the answer is the last resort

    Scenario: A target that is not quite dead answers with what is healthy
      Given the zone "example.com" with the record sets:
        | name | routing  | id | health check | alias to | evaluate target health |
        | www  | weight 1 | l  |              | left     | no                     |
        | left | weight 1 | l0 | hc-l0        |          |                        |
        | left | weight 1 | l1 | hc-l1        |          |                        |
      And the health check "hc-l0" is unhealthy
      When many clients ask for A "www"
      Then the answer is l1

  @R53-93
  Rule: The health of a branch that depends on the asker is judged per query
    Values specific for geolocation records
    How health checks work in complex Amazon Route 53 configurations

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing            | id        | health check | alias to | evaluate target health |
        | www  | failover primary   | p         |              | geo      | yes                    |
        | www  | failover secondary | secondary |              |          |                        |
        | geo  | geolocation BR     | brazil    | hc-brazil    |          |                        |
        | geo  | geolocation DE     | germany   | hc-germany   |          |                        |

    Scenario Outline: Brazil's record is dead, asked from <place>
      Given the health check "hc-brazil" is unhealthy
      When many clients in <place> ask for A "www"
      Then the answer is <answer>

      Examples:
        | place   | answer    |
        | Brazil  | secondary |
        | Germany | germany   |

    Scenario: A branch that has nothing for the asker is left
      When many clients in Japan ask for A "www"
      Then the answer is secondary

    Scenario: The switch says that any healthy record keeps the branch healthy
      Given the switch "query-relative child health" is off
      And the health check "hc-brazil" is unhealthy
      When many clients in Brazil ask for A "www"
      Then the answer is brazil

    Scenario: An IP-based branch
      Given the zone "example.com" with the record sets:
        | name | routing             | id        | health check | alias to | evaluate target health |
        | www  | failover primary    | p         |              | net      | yes                    |
        | www  | failover secondary  | secondary |              |          |                        |
        | net  | cidr offices hq     | hq        | hc-hq        |          |                        |
        | net  | cidr offices branch | branch    | hc-branch    |          |                        |
      And the CIDR collection "offices" is created:
        | location | blocks          |
        | hq       | 198.51.100.0/24 |
        | branch   | 203.0.113.0/24  |
      And the health check "hc-hq" is unhealthy
      When a client at 198.51.100.1 asks for A "www"
      Then the answer is secondary
      When a client at 203.0.113.1 asks for A "www"
      Then the answer is branch

  @R53-53
  Rule: The smallest location that holds the asker wins: state, country, continent, default
    Geolocation routing
    Values specific for geolocation records

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing             | id        | health check |
        | www  | geolocation US-CA   | state     | hc-state     |
        | www  | geolocation US      | country   | hc-country   |
        | www  | geolocation NA      | continent | hc-continent |
        | www  | geolocation default | default   | hc-default   |

    Scenario Outline: The reference vectors: state <state>, country <country>, continent <continent>, default <default>
      Given the health checks are:
        | health check | status      |
        | hc-state     | <state>     |
        | hc-country   | <country>   |
        | hc-continent | <continent> |
        | hc-default   | <default>   |
      When many clients in US-CA ask for A "www"
      Then the answer is <answer>

      Examples:
        | state     | country   | continent | default   | answer  |
        | unhealthy | healthy   | healthy   | healthy   | country |
        | unhealthy | unhealthy | unhealthy | healthy   | default |
        | unhealthy | unhealthy | unhealthy | unhealthy | state   |

  @R53-94
  Rule: Aliases chain to any depth
    Task list for configuring DNS failover
    How health checks work in complex Amazon Route 53 configurations

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing            | id    | health check | alias to | evaluate target health |
        | www  | failover primary   | www-p |              | l1       | yes                    |
        | www  | failover secondary | spare |              |          |                        |
        | l1   |                    |       |              | l2       | yes                    |
        | l2   | weight 1           | l2-a  |              | l3       | yes                    |
        | l3   |                    |       |              | l4       | yes                    |
        | l4   | weight 1           | l4-a  |              | l5       | yes                    |
        | l5   |                    |       |              | l6       | yes                    |
        | l6   | weight 1           | l6-a  |              | l7       | yes                    |
        | l7   |                    |       |              | l8       | yes                    |
        | l8   | weight 1           | leaf  | hc-leaf      |          |                        |

    Scenario: Eight aliases deep, the leaf is healthy
      When many clients ask for A "www"
      Then the answer is leaf

    Scenario: Eight aliases deep, the leaf is not
      Given the health check "hc-leaf" is unhealthy
      When many clients ask for A "www"
      Then the answer is spare

    Scenario: Asked in the middle of the chain
      Given the health check "hc-leaf" is unhealthy
      When a client asks for A "l5"
      Then the answer is leaf
      And the answer is the last resort

  @R53-95
  Rule: An alias has the type of its target, which exists in the same zone
    Route 53 API Reference, AliasTarget
    Task list for configuring DNS failover
    badmintoncryer/cdk-preflight, rule pf-route53, alias-samezone-target-missing
    GitHub issue, barnybug/cli53#227

    Scenario: A target that is gone all the same is no healthy one
      Given the zone "example.com" with the record sets:
        | name | routing            | id    | alias to | evaluate target health |
        | www  | failover primary   | p     | home     | yes                    |
        | www  | failover secondary | spare |          |                        |
        | home |                    |       |          |                        |
      And the record sets of A "home" are gone
      When many clients ask for A "www"
      Then the answer is spare

  @R53-96
  Rule: An alias that evaluates a load balancer follows its health
    Values specific for weighted alias records

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing           | id    | alias to                                | evaluate target health |
        | www  | latency us-east-1 | east  | balancer-1.us-east-1.elb.amazonaws.com. | yes                    |
        | www  | latency sa-east-1 | south | balancer-2.sa-east-1.elb.amazonaws.com. | yes                    |

    Scenario: The nearest load balancer is unhealthy
      Given the resource "balancer-1.us-east-1.elb.amazonaws.com." is unhealthy
      When many clients in us-east-1 ask for A "www"
      Then the answer is south

    Scenario: Both are
      Given the resource "balancer-1.us-east-1.elb.amazonaws.com." is unhealthy
      And the resource "balancer-2.sa-east-1.elb.amazonaws.com." is unhealthy
      When many clients in us-east-1 ask for A "www"
      Then the answer is east
      And the answer is the last resort

  @R53-97
  Rule: An alias to an S3 website always counts as healthy
    Values specific for failover alias records
    Route 53 API Reference, AliasTarget

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing            | id    | health check | alias to                            | evaluate target health |
        | www  | failover primary   | site  |              | s3-website-sa-east-1.amazonaws.com. | yes                    |
        | www  | failover secondary | spare |              |                                     |                        |

    Scenario: The website is gone
      Given the resource "s3-website-sa-east-1.amazonaws.com." is unhealthy
      When many clients ask for A "www"
      Then the answer is site

    Scenario: A health check can see what its target does not tell
      Given the zone "example.com" with the record sets:
        | name | routing            | id    | health check | alias to                            | evaluate target health |
        | www  | failover primary   | site  | hc-site      | s3-website-sa-east-1.amazonaws.com. | yes                    |
        | www  | failover secondary | spare |              |                                     |                        |
      And the health check "hc-site" is unhealthy
      When many clients ask for A "www"
      Then the answer is spare

    Scenario: The switch says that websites have a health
      Given the switch "sites and gateways are always healthy" is off
      And the resource "s3-website-sa-east-1.amazonaws.com." is unhealthy
      When many clients ask for A "www"
      Then the answer is spare

  @R53-98
  Rule: An alias to an API Gateway or an interface endpoint always counts as healthy
    Values specific for failover alias records
    Route 53 API Reference, AliasTarget

    Scenario Outline: An alias to <target>
      Given the zone "example.com" with the record sets:
        | name | routing            | id    | alias to | evaluate target health |
        | www  | failover primary   | front | <target> | yes                    |
        | www  | failover secondary | spare |          |                        |
      And the resource "<target>" is unhealthy
      When many clients ask for A "www"
      Then the answer is front

      Examples:
        | target                                           |
        | d-abc123.execute-api.us-east-1.amazonaws.com.    |
        | vpce-0123-abcd.ec2.us-east-1.vpce.amazonaws.com. |

    Scenario: The switch says that gateways have a health
      Given the zone "example.com" with the record sets:
        | name | routing            | id    | alias to                                      | evaluate target health |
        | www  | failover primary   | front | d-abc123.execute-api.us-east-1.amazonaws.com. | yes                    |
        | www  | failover secondary | spare |                                               |                        |
      And the switch "sites and gateways are always healthy" is off
      And the resource "d-abc123.execute-api.us-east-1.amazonaws.com." is unhealthy
      When many clients ask for A "www"
      Then the answer is spare

  @R53-100
  Rule: An alias to an Elastic Beanstalk environment follows its instances and its load balancer
    Values specific for failover alias records

    Scenario Outline: The environment is <status>
      Given the zone "example.com" with the record sets:
        | name | routing            | id    | alias to                                     | evaluate target health |
        | www  | failover primary   | front | shop.eba-abc.us-east-1.elasticbeanstalk.com. | yes                    |
        | www  | failover secondary | spare |                                              |                        |
      And the resource "shop.eba-abc.us-east-1.elasticbeanstalk.com." is <status>
      When many clients ask for A "www"
      Then the answer is <answer>

      Examples:
        | status    | answer |
        | healthy   | front  |
        | unhealthy | spare  |
