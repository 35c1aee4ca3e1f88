@route53 @client-subnet
Feature: Client subnet
  A resolver can say for whom it asks (EDNS client subnet). Policies that look at the asker's place then look at the
  client's; the others do not care.

  @R53-80
  Rule: A client subnet locates the client
    How Amazon Route 53 uses EDNS0 to estimate the location of a user

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing                   | id             |
        | geo  | geolocation BR            | geo-brazil     |
        | geo  | geolocation default       | geo-others     |
        | fast | latency sa-east-1         | fast-sao-paulo |
        | fast | latency eu-central-1      | fast-frankfurt |
        | near | geoproximity sa-east-1    | near-sao-paulo |
        | near | geoproximity eu-central-1 | near-frankfurt |
        | net  | cidr nets clients         | net-clients    |
        | net  | cidr nets *               | net-others     |
      And the CIDR collection "nets" is created:
        | location | blocks         |
        | clients  | 203.0.113.0/24 |
      And the network 203.0.113.0/24 is in Brazil

    Scenario Outline: A resolver in Germany asks for a client in Brazil: <name>
      When a resolver in Germany asks for A "<name>" on behalf of 203.0.113.0/24
      Then the answer is <answer>
      And the answer holds for the whole subnet

      Examples:
        | name | answer         |
        | geo  | geo-brazil     |
        | fast | fast-sao-paulo |
        | near | near-sao-paulo |
        | net  | net-clients    |

    Scenario: The client's subnet is nowhere, its resolver in Brazil
      When a resolver in Brazil asks for A "geo" on behalf of 192.0.2.0/24
      Then the answer is geo-others

  @R53-81
  Rule: Without a client subnet the resolver's address locates the client
    How Amazon Route 53 uses EDNS0 to estimate the location of a user

    Background:
      Given the zone "example.com" with the record sets:
        | name | routing                   | id             |
        | geo  | geolocation BR            | geo-brazil     |
        | geo  | geolocation default       | geo-others     |
        | fast | latency sa-east-1         | fast-sao-paulo |
        | fast | latency eu-central-1      | fast-frankfurt |
        | near | geoproximity sa-east-1    | near-sao-paulo |
        | near | geoproximity eu-central-1 | near-frankfurt |
        | net  | cidr nets resolvers       | net-resolvers  |
        | net  | cidr nets *               | net-others     |
      And the CIDR collection "nets" is created:
        | location  | blocks          |
        | resolvers | 198.51.100.0/24 |
      And the network 198.51.100.0/24 is in Brazil

    Scenario Outline: A resolver in Brazil says nothing of its client: <name>
      When a client at 198.51.100.53 asks for A "<name>"
      Then the answer is <answer>

      Examples:
        | name | answer         |
        | geo  | geo-brazil     |
        | fast | fast-sao-paulo |
        | near | near-sao-paulo |
        | net  | net-resolvers  |

    Scenario: A client that does not want to be located is where its resolver is
      When a resolver at 198.51.100.53 asks for A "geo" on behalf of 0.0.0.0/0
      Then the answer is geo-brazil

  @R53-82
  Rule: A client subnet does not matter to policies without location
    How Amazon Route 53 uses EDNS0 to estimate the location of a user

    Background:
      Given the zone "example.com" with the record sets:
        | name  | routing            | id      | health check | values               |
        | plain |                    |         |              | 192.0.2.1, 192.0.2.2 |
        | pair  | failover primary   | pair-p  | hc-p         |                      |
        | pair  | failover secondary | pair-s  |              |                      |
        | split | weight 1           | split-1 |              |                      |
        | split | weight 3           | split-2 |              |                      |
        | all   | multivalue         | all-1   |              |                      |
        | all   | multivalue         | all-2   |              |                      |
      And the network 203.0.113.0/24 is in Brazil

    Scenario Outline: The subnet is told, and does not matter: <name>
      Given the health check "hc-p" is unhealthy
      When a resolver in Germany asks for A "<name>" on behalf of 203.0.113.0/24
      Then the answer is <answer>
      And the answer holds for every client

      Examples:
        | name  | answer               |
        | plain | 192.0.2.1, 192.0.2.2 |
        | pair  | pair-s               |
        | all   | all-1, all-2         |

    Scenario: Clients of one subnet share weighted records as all others do
      When a resolver in Germany asks for A "split" on behalf of 203.0.113.0/24
      Then the answer holds for every client
      And the answers are shared:
        | answer  | share |
        | split-1 | 1/4   |
        | split-2 | 3/4   |

    Scenario: A tree that looks at the place on its way does depend on it
      Given the zone "example.com" with the record sets:
        | name | routing             | id        | alias to | evaluate target health |
        | www  | failover primary    | p         | geo      | yes                    |
        | www  | failover secondary  | secondary |          |                        |
        | geo  | geolocation BR      | brazil    |          |                        |
        | geo  | geolocation default | others    |          |                        |
      When a resolver in Germany asks for A "www" on behalf of 203.0.113.0/24
      Then the answer is brazil
      And the answer holds for the whole subnet
