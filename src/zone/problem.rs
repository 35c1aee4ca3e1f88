//! What Route 53 refuses, in words: what it is, what was expected, and the rule.
//!
//! Words only; [`super::validate`] and the readers find the problems and say where.

/// ", did you mean `x`?" where there is such a name.
fn meant(nearest: Option<&String>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// One record set that Route 53 would refuse, whatever stands beside it.
#[expect(missing_docs, reason = "the message of each variant is its documentation")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordProblem {
    #[error(
        "a health check hangs on a simple record set; expected a routing policy beside it, or no health check (R53-15)"
    )]
    HealthCheckOnSimple,
    #[error("a PRIMARY with values has no health check; expected `HealthCheckId` (R53-28)")]
    PrimaryWithoutHealthCheck,
    #[error(
        "an alias PRIMARY neither evaluates its target's health nor has a health check, so the SECONDARY would never \
         be answered; expected one of them (R53-29)"
    )]
    PrimaryAliasWithoutHealth,
    #[error("the policy is {policy}, but `SetIdentifier` is missing; expected 1 to 128 characters (R53-224)")]
    SetIdentifierMissing { policy: &'static str },
    #[error(
        "`SetIdentifier` `{found}` stands without a routing policy; expected exactly one of {POLICY_KEYS} (R53-224)"
    )]
    SetIdentifierWithoutPolicy { found: String },
    #[error("`SetIdentifier` has {length} characters; expected 1 to 128 (R53-224)")]
    SetIdentifierLength { length: usize },
    #[error("routing policies {found} stand together; expected exactly one (R53-226)")]
    SeveralPolicies { found: String },
    #[error("an alias has a {key}; expected none: it answers with what its target has (R53-235, R53-169)")]
    AliasWith { key: &'static str },
    #[error("{missing} is missing; expected an `AliasTarget`, or both `TTL` and `ResourceRecords` (R53-235)")]
    NeitherAliasNorValues { missing: &'static str },
    #[error("`EvaluateTargetHealth` is missing; expected `true` or `false` (R53-236)")]
    EvaluateTargetHealthMissing,
    #[error("TTL {found} is out of range; expected 0 to 2147483647 seconds (R53-173)")]
    TtlRange { found: String },
    #[error("no value; expected at least one in `ResourceRecords` (R53-235)")]
    NoValues,
    #[error("{count} values; expected at most 400 (R53-234)")]
    TooManyValues { count: usize },
    #[error("a CNAME has {count} values; expected one (RFC 2181, section 10.1)")]
    SeveralCnames { count: usize },
    #[error("value `{found}` is no {expected}")]
    Value { found: String, expected: &'static str },
    #[error("type {rtype} cannot have the policy {policy} ({rule})")]
    PolicyOfType { rtype: String, policy: &'static str, rule: &'static str },
    #[error("health check `{found}` is not defined (R53-108){}", meant(.nearest.as_ref()))]
    UnknownHealthCheck { found: String, nearest: Option<String> },
}

/// The keys that make a routing policy, as errors list them.
pub(super) const POLICY_KEYS: &str =
    "Weight, Region, Failover, GeoLocation, GeoProximityLocation, MultiValueAnswer, CidrRoutingConfig";

/// A routing policy whose settings Route 53 would refuse.
#[expect(missing_docs, reason = "the message of each variant is its documentation")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyProblem {
    #[error("weight {found} is out of range; expected a whole number from 0 to 255 (R53-38)")]
    Weight { found: String },
    #[error("failover role `{found}` is not known; expected PRIMARY or SECONDARY (R53-22)")]
    FailoverRole { found: String },
    #[error("`MultiValueAnswer` is {found}; expected `true`, or no such key (R53-74)")]
    MultiValueAnswer { found: String },
    #[error("AWS Region `{found}` is not known (R53-230){}", meant(.nearest.as_ref()))]
    Region { found: String, nearest: Option<String> },
    #[error("continent code `{found}` is not known; expected one of AF AN AS EU NA OC SA (R53-60, R53-233)")]
    Continent { found: String },
    #[error(
        "country code `{found}` is not known; expected ISO 3166-1 alpha-2, or `*` for the default (R53-60, R53-233){}",
        meant(.nearest.as_ref())
    )]
    Country { found: String, nearest: Option<String> },
    #[error("country code `{found}` is not supported in geolocation records: BV, CX, EH and HM are not (R53-62)")]
    UnsupportedCountry { found: String },
    #[error("subdivision `{found}` stands with country `{country}`; expected `US`: only its states are known (R53-61)")]
    SubdivisionOutsideUs { found: String, country: String },
    #[error("`{found}` is no state of the US (R53-61, R53-233){}", meant(.nearest.as_ref()))]
    Subdivision { found: String, nearest: Option<String> },
    #[error("a continent code stands together with a country or subdivision code; expected one or the other (R53-232)")]
    ContinentWithCountry,
    #[error("no location; expected `ContinentCode` or `CountryCode` (R53-60)")]
    NoLocation,
    #[error("bias {found} is out of range; expected a whole number from -99 to 99 (R53-64)")]
    Bias { found: String },
    #[error("{count} origins; expected exactly one of AWSRegion, LocalZoneGroup, Coordinates (R53-65)")]
    Origins { count: usize },
    #[error("{axis} `{found}` is not usable; expected {expected}, at most 2 decimals (R53-65)")]
    Coordinate { axis: &'static str, found: String, expected: &'static str },
    #[error(
        "CIDR location name `{found}` is not usable; expected 1 to 16 characters of 0-9 A-Z a-z _ -, or `*` (R53-245)"
    )]
    CidrLocationName { found: String },
    #[error("`CollectionId` is missing; it is needed even for the location `*` (R53-245)")]
    CollectionMissing,
    #[error("CIDR collection `{found}` is not known: its blocks were not given (R53-68){}", meant(.nearest.as_ref()))]
    UnknownCollection { found: String, nearest: Option<String> },
    #[error("CIDR collection `{collection}` has no location `{found}` (R53-68){}", meant(.nearest.as_ref()))]
    UnknownCidrLocation { collection: String, found: String, nearest: Option<String> },
    #[error("CIDR block `{found}` is not usable; expected IPv4 /1 to /24 or IPv6 /1 to /48 (R53-71)")]
    CidrBlock { found: String },
    #[error("CIDR block `{found}` stands twice; expected once per collection (R53-71)")]
    CidrBlockTwice { found: String },
    #[error("a private zone has no IP-based records; expected another policy, or a public zone (R53-208)")]
    IpBasedInPrivateZone,
    #[error("location `*` cannot be made inside a collection (R53-245)")]
    DefaultInCollection,
}

/// Record sets of one name and type that do not go together.
#[expect(missing_docs, reason = "the message of each variant is its documentation")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GroupProblem {
    #[error("a second simple record set for {group}; expected one with several values (R53-20)")]
    SecondSimple { group: String },
    #[error("{group} has a simple record set beside one that is {policy}; expected one policy for all (R53-222)")]
    SimpleBesidePolicy { group: String, policy: &'static str },
    #[error("{group} is {one} here and {other} before; expected one policy for all (R53-221)")]
    MixedPolicies { group: String, one: &'static str, other: &'static str },
    #[error("set identifier `{identifier}` stands twice in {group}; expected each once (R53-225)")]
    DuplicateSetIdentifier { group: String, identifier: String },
    #[error("a second {role} in {group}; expected one (R53-227)")]
    SecondRole { group: String, role: &'static str },
    #[error("a second latency record for Region `{region}` in {group}; expected one (R53-230)")]
    DuplicateRegion { group: String, region: String },
    #[error("a second geolocation record for {location} in {group}; expected one (R53-231)")]
    DuplicateLocation { group: String, location: String },
    #[error("{group} names CIDR collections `{one}` and `{other}`; expected one for all (R53-72)")]
    SeveralCollections { group: String, one: String, other: String },
    #[error("a second record for CIDR location `{location}` in {group}; expected one (R53-72)")]
    DuplicateCidrLocation { group: String, location: String },
    #[error("weighted {group} has TTLs {one} and {other}; expected one for all (R53-174)")]
    WeightedTtls { group: String, one: u32, other: u32 },
    #[error("{group} has {count} {policy} record sets; expected at most {limit} (R53-234)")]
    TooMany { group: String, policy: &'static str, count: usize, limit: usize },
}

/// What is wrong with a change batch, beside what it would leave behind.
#[expect(missing_docs, reason = "the message of each variant is its documentation")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BatchProblem {
    #[error("the batch deletes {record} twice; expected once (R53-220)")]
    DeletedTwice { record: String },
    #[error("the batch sets {record} twice; expected once (R53-225)")]
    SetTwice { record: String },
    #[error("{record} already exists; expected UPSERT, or a DELETE before (R53-220, R53-20)")]
    AlreadyExists { record: String },
    #[error("{record} is to be deleted, but is not in the zone (R53-220)")]
    NotFound { record: String },
    #[error(
        "{record} is to be deleted, but its {differs} in the zone is another; expected all of it as it stands (R53-220)"
    )]
    NotAsItStands { record: String, differs: &'static str },
    #[error("the batch has {count} values, those of UPSERT counted twice; expected at most {limit} (R53-219)")]
    TooManyValues { count: usize, limit: usize },
    #[error(
        "the values of the batch have {count} characters, those of UPSERT counted twice; expected at most {limit} (R53-219)"
    )]
    TooManyCharacters { count: usize, limit: usize },
}

/// An alias that leads nowhere, or not where it may.
#[expect(missing_docs, reason = "the message of each variant is its documentation")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AliasProblem {
    #[error("alias target {target} is in this zone, but has no record set (R53-95, R53-239){}", meant(.nearest.as_ref()))]
    TargetMissing { target: String, nearest: Option<String> },
    #[error(
        "alias target {target} has no record set of type {rtype}, only of {found}; expected the alias's own type (R53-95, R53-239)"
    )]
    TargetOfOtherType { target: String, rtype: String, found: String },
    #[error("alias loop: {shown} (R53-95: a target must exist before its alias)")]
    Loop { shown: String },
    #[error(
        "alias target {target} lies outside this zone, but hosted zone id `{id}` is this zone's: other aliases reach \
         into the zone with it; expected the id of the resource's own zone (R53-237, R53-240)"
    )]
    OutsideWithOwnZoneId { target: String, id: String },
    #[error("a multivalue record set is an alias; expected values (R53-78)")]
    Multivalue,
    #[error("type {rtype} cannot be an alias (R53-243)")]
    OfType { rtype: String },
    #[error("an alias to CloudFront evaluates the health of its target; expected `false` (R53-99)")]
    CloudFrontEvaluated,
    #[error("an alias to CloudFront in a private zone; expected a record with values, or a public zone (R53-214)")]
    CloudFrontInPrivateZone,
    #[error("alias target {target} is named with hosted zone id `{found}`; expected `{expected}` (R53-238)")]
    ResourceZoneId { target: String, found: String, expected: &'static str },
}

/// An owner name that has no place in the zone, or not beside others.
#[expect(missing_docs, reason = "the message of each variant is its documentation")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameProblem {
    #[error("{name} lies outside the zone {apex} (R53-244)")]
    OutsideZone { name: String, apex: String },
    #[error("a CNAME at the zone's apex {apex}; expected an alias, or a name below it (R53-241)")]
    CnameAtApex { apex: String },
    #[error("{name} has a CNAME and also {others}; expected the CNAME alone (R53-242)")]
    CnameBesideOthers { name: String, others: String },
    #[error("a wildcard NS record set at {name} is not supported (R53-243)")]
    WildcardNs { name: String },
    #[error("names {one} and {other} share no zone; give the zone's apex")]
    NoCommonApex { one: String, other: String },
    #[error("no record set; expected at least one, or the zone's apex given")]
    NoNames,
}
