use hickory_proto::op::{Edns, OpCode};
use hickory_proto::rr::rdata::opt::EdnsCode;

use super::*;
use crate::authoritative::test_zone::{
    BRAZILIAN, ELSEWHERE, GERMAN, PRIMARY, SECONDARY, authoritative, check, ip, name,
};
use crate::health::EvidenceBoard;
use crate::journal::event::WeighedAnswer;

/// A core and the evidence it is asked with.
struct Asking {
    core: Authoritative,
    evidence: EvidenceBoard,
}

fn asking() -> Asking {
    Asking { core: Authoritative::new(authoritative()).unwrap(), evidence: EvidenceBoard::default() }
}

fn query(owner: &str, rtype: RecordType) -> Message {
    let mut message = Message::query();
    message.add_query(Query::query(name(owner), rtype));
    message
}

fn with_edns(mut message: Message, payload: u16) -> Message {
    let mut edns = Edns::new();
    edns.set_max_payload(payload);
    message.set_edns(edns);
    message
}

fn with_subnet(message: Message, subnet: &str) -> Message {
    let mut message = with_edns(message, 4096);
    let subnet: IpNet = subnet.parse().unwrap();
    let subnet = ClientSubnet::new(subnet.addr(), subnet.prefix_len(), 0);
    message.edns.as_mut().unwrap().options_mut().insert(EdnsOption::Subnet(subnet));
    message
}

impl Asking {
    fn reply(&mut self, message: &Message, source: &str, transport: Transport) -> Reply {
        self.core.respond(&message.to_vec().unwrap(), ip(source), transport, &self.evidence).unwrap()
    }

    fn from(&mut self, source: &str, message: &Message) -> Message {
        Message::from_vec(&self.reply(message, source, Transport::Tcp).bytes).unwrap()
    }

    fn ask(&mut self, owner: &str, rtype: RecordType) -> Message {
        self.from("192.0.2.200", &query(owner, rtype))
    }

    fn changed(&mut self, owner: &str, source: &str) -> Option<Vec<WeighedAnswer>> {
        self.reply(&query(owner, RecordType::A), source, Transport::Udp).changed.map(|change| change.answers)
    }
}

fn addresses(message: &Message) -> Vec<String> {
    let mut addresses: Vec<String> =
        message.answers.iter().filter_map(|record| record.data.ip_addr()).map(|address| address.to_string()).collect();
    addresses.sort();
    addresses
}

fn subnet_of(message: &Message) -> Option<ClientSubnet> {
    match message.edns.as_ref()?.option(EdnsCode::Subnet)? {
        EdnsOption::Subnet(subnet) => Some(*subnet),
        _ => None,
    }
}

#[track_caller]
fn assert_negative(message: &Message, code: ResponseCode) {
    assert_eq!(message.response_code, code);
    assert!(message.answers.is_empty() && message.authoritative);
    let [soa] = message.authorities.as_slice() else { panic!("{message}") };
    assert_eq!((soa.record_type(), soa.ttl, &soa.name), (RecordType::SOA, 900, &name("example.com.")));
}

#[test]
fn r53_80_geolocation_goes_by_the_client_subnet_and_returns_it_as_scope() {
    let mut asking = asking();
    let answer = asking.from("10.55.0.1", &with_subnet(query("geo.example.com.", RecordType::A), "10.49.7.0/24"));
    assert_eq!(addresses(&answer), [GERMAN]);
    assert_eq!(subnet_of(&answer), Some(ClientSubnet::new(ip("10.49.7.0"), 24, 24)));
}

#[test]
fn r53_81_geolocation_goes_by_the_source_without_a_client_subnet() {
    let mut asking = asking();
    for (source, expected) in [("10.49.0.1", GERMAN), ("10.55.0.1", BRAZILIAN), ("192.0.2.7", ELSEWHERE)] {
        let answer = asking.from(source, &query("geo.example.com.", RecordType::A));
        assert_eq!(addresses(&answer), [expected], "from {source}");
    }
}

#[test]
fn r53_81_a_client_that_does_not_want_to_be_located_is_where_its_resolver_is() {
    let answer = asking().from("10.55.0.1", &with_subnet(query("geo.example.com.", RecordType::A), "0.0.0.0/0"));
    assert_eq!(addresses(&answer), [BRAZILIAN]);
}

#[test]
fn r53_82_the_other_policies_answer_for_every_client_whatever_its_subnet() {
    let mut asking = asking();
    for owner in ["www.example.com.", "weighted.example.com.", "text.example.com."] {
        let answer = asking.from("10.55.0.1", &with_subnet(query(owner, RecordType::A), "10.49.7.0/24"));
        assert_eq!(subnet_of(&answer), Some(ClientSubnet::new(ip("10.49.7.0"), 24, 0)), "{owner}");
    }
}

#[test]
fn r53_83_a_private_zone_does_not_look_at_the_client_subnet() {
    let mut settings = authoritative();
    std::sync::Arc::make_mut(&mut settings.zone).visibility = Visibility::Private;
    let mut asking = Asking { core: Authoritative::new(settings).unwrap(), evidence: EvidenceBoard::default() };
    let answer = asking.from("10.55.0.1", &with_subnet(query("geo.example.com.", RecordType::A), "10.49.7.0/24"));
    assert_eq!((addresses(&answer), subnet_of(&answer)), (vec![BRAZILIAN.to_owned()], None));
}

#[test]
fn r53_180_the_addresses_of_a_cnames_target_come_along_as_its_health_says() {
    let mut asking = asking();
    let along = |answer: &Message| {
        let target = answer.additionals.iter().filter(|record| record.name == name("www.example.com."));
        target.filter_map(|record| record.data.ip_addr()).map(|address| address.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(along(&asking.ask("cname.example.com.", RecordType::A)), [PRIMARY]);
    asking.evidence.set_health_check(check("p"), false);
    assert_eq!(along(&asking.ask("cname.example.com.", RecordType::A)), [SECONDARY]);
    assert!(along(&asking.ask("www.example.com.", RecordType::A)).is_empty());
}

#[test]
fn a_malformed_client_subnet_is_a_format_error() {
    let answer = asking().from("10.55.0.1", &{
        let mut message = with_edns(query("geo.example.com.", RecordType::A), 4096);
        let bits_beyond_the_prefix = ClientSubnet::new(ip("10.49.7.255"), 23, 0);
        message.edns.as_mut().unwrap().options_mut().insert(EdnsOption::Subnet(bits_beyond_the_prefix));
        message
    });
    assert_eq!(answer.response_code, ResponseCode::FormErr);
}

#[test]
fn r53_170_an_alias_to_a_load_balancer_gives_its_addresses_of_the_type_for_60_s() {
    let answer = asking().ask("example.com.", RecordType::A);
    assert_eq!(addresses(&answer), ["192.0.2.1", "192.0.2.2"]);
    assert!(answer.answers.iter().all(|record| record.ttl == 60 && record.name == name("example.com.")));
}

#[test]
fn r53_172_and_183_an_alias_to_a_record_gives_its_answer_and_ttl_under_the_alias_name() {
    let answer = asking().ask("alias.example.com.", RecordType::A);
    let [record] = answer.answers.as_slice() else { panic!("{answer}") };
    assert_eq!((&record.name, record.ttl), (&name("alias.example.com."), 60));
    assert_eq!(addresses(&answer), [PRIMARY]);
}

#[test]
fn r53_178_and_184_no_data_and_no_name_carry_the_soa_for_900_s() {
    let mut asking = asking();
    assert_negative(&asking.ask("www.example.com.", RecordType::TXT), ResponseCode::NoError);
    assert_negative(&asking.ask("none.example.com.", RecordType::A), ResponseCode::NXDomain);
}

#[test]
fn r53_179_a_cname_answers_any_type_and_is_not_followed() {
    for rtype in [RecordType::A, RecordType::TXT, RecordType::CNAME] {
        let answer = asking().ask("cname.example.com.", rtype);
        let types: Vec<_> = answer.answers.iter().map(|record| (record.record_type(), record.ttl)).collect();
        assert_eq!(types, [(RecordType::CNAME, 300)], "asked for {rtype}");
    }
}

#[test]
fn r53_182_an_alias_of_type_a_has_nothing_for_aaaa() {
    assert_negative(&asking().ask("alias.example.com.", RecordType::AAAA), ResponseCode::NoError);
}

#[test]
fn r53_185_a_udp_answer_is_truncated_at_512_bytes_and_with_edns_at_4096() {
    let mut asking = asking();
    let mut ask = |message: &Message, transport| {
        let bytes = asking.reply(message, "192.0.2.7", transport).bytes;
        let answer = Message::from_vec(&bytes).unwrap();
        (answer.truncation, answer.answers.len(), bytes.len())
    };
    let (dozen, many) = (query("dozen.example.com.", RecordType::A), query("many.example.com.", RecordType::A));
    for (message, transport, expected) in [
        (&dozen, Transport::Udp, (true, 0)),
        (&dozen, Transport::Tcp, (false, 40)),
        (&with_edns(dozen.clone(), 513), Transport::Udp, (true, 0)),
        (&with_edns(dozen.clone(), 1232), Transport::Udp, (false, 40)),
        (&with_edns(many.clone(), 65_000), Transport::Udp, (true, 0)),
        (&many, Transport::Tcp, (false, 300)),
    ] {
        let (truncated, records, length) = ask(message, transport);
        assert_eq!((truncated, records), expected, "{transport:?} {message}");
        assert!(transport == Transport::Tcp || length <= 4096);
    }
}

#[test]
fn r53_186_a_positive_answer_names_the_zones_servers_and_their_addresses() {
    let answer = asking().ask("www.example.com.", RecordType::A);
    let [ns] = answer.authorities.as_slice() else { panic!("{answer}") };
    assert_eq!((ns.record_type(), &ns.name, ns.ttl), (RecordType::NS, &name("example.com."), 172_800));
    let [glue] = answer.additionals.as_slice() else { panic!("{answer}") };
    assert_eq!((&glue.name, glue.data.ip_addr()), (&name("ns-1.example.net."), Some(ip("198.51.100.53"))));
}

#[test]
fn a_zone_without_soa_and_ns_has_those_that_route_53_creates() {
    let mut asking = asking();
    let soa = asking.ask("example.com.", RecordType::SOA);
    let RData::SOA(data) = &soa.answers[0].data else { panic!("{soa}") };
    assert_eq!((soa.answers[0].ttl, data.minimum, &data.mname), (900, 86_400, &name("ns-1.example.net.")));
    let ns = asking.ask("example.com.", RecordType::NS);
    assert_eq!((ns.answers.len(), ns.authorities.len()), (1, 0));
}

#[test]
fn a_delegation_is_referred_with_glue_and_without_authority() {
    let answer = asking().ask("deep.sub.example.com.", RecordType::A);
    assert!(!answer.authoritative && answer.answers.is_empty());
    assert_eq!(answer.authorities.len(), 2);
    assert!(answer.authorities.iter().all(|record| record.name == name("sub.example.com.")));
    let glue: Vec<_> = answer.additionals.iter().filter_map(|record| record.data.ip_addr()).collect();
    assert_eq!(glue, [ip("198.51.100.99"), ip("2001:db8::99")]);
}

#[test]
fn the_question_comes_back_in_its_own_case_with_rd_and_without_ra() {
    let mut message = query("wWw.eXample.COM.", RecordType::A);
    message.metadata.recursion_desired = true;
    let answer = asking().from("192.0.2.7", &message);
    assert_eq!(answer.id, message.id);
    assert!(answer.queries[0].name.eq_case(&name("wWw.eXample.COM.")));
    assert!(answer.answers[0].name.eq_case(&name("wWw.eXample.COM.")));
    assert!(answer.recursion_desired && !answer.recursion_available && answer.authoritative);
    assert!(answer.edns.is_none(), "no OPT where the query has none");
}

#[test]
fn what_lies_outside_the_zone_and_zone_transfers_are_refused() {
    let mut asking = asking();
    for (owner, rtype) in
        [("www.example.org.", RecordType::A), ("com.", RecordType::A), ("example.com.", RecordType::AXFR)]
    {
        let answer = asking.ask(owner, rtype);
        assert_eq!((answer.response_code, answer.authoritative), (ResponseCode::Refused, false), "{owner} {rtype}");
    }
}

#[test]
fn other_operations_are_not_implemented() {
    let mut message = query("www.example.com.", RecordType::A);
    message.metadata.op_code = OpCode::Notify;
    let answer = asking().from("192.0.2.7", &message);
    assert_eq!((answer.response_code, answer.op_code), (ResponseCode::NotImp, OpCode::Notify));
}

#[test]
fn an_edns_version_that_is_not_known_is_answered_with_the_one_that_is() {
    let mut message = with_edns(query("www.example.com.", RecordType::A), 1232);
    message.edns.as_mut().unwrap().set_version(1);
    let answer = asking().from("192.0.2.7", &message);
    // Codes above 15 lie partly in OPT, where 16 is both BADVERS and BADSIG; the number tells.
    assert_eq!(u16::from(answer.response_code), 16);
    assert_eq!((answer.edns.as_ref().map(Edns::version), answer.answers.len()), (Some(0), 0));
}

#[test]
fn garbage_with_a_header_is_a_format_error_and_less_is_silence() {
    let Asking { mut core, evidence } = asking();
    let mut respond = |bytes: &[u8]| core.respond(bytes, ip("192.0.2.7"), Transport::Udp, &evidence);
    let mut garbage = query("www.example.com.", RecordType::A).to_vec().unwrap();
    garbage.truncate(17);
    let answer = Message::from_vec(&respond(&garbage).unwrap().bytes).unwrap();
    assert_eq!(answer.response_code, ResponseCode::FormErr);
    assert_eq!(answer.id.to_be_bytes(), garbage[..2]);
    assert_eq!(respond(&garbage[..11]), None);
    let mut two_questions = query("www.example.com.", RecordType::A);
    two_questions.add_query(Query::query(name("geo.example.com."), RecordType::A));
    let answer = Message::from_vec(&respond(&two_questions.to_vec().unwrap()).unwrap().bytes).unwrap();
    assert_eq!(answer.response_code, ResponseCode::FormErr);
}

#[test]
fn an_answer_is_never_answered() {
    let Asking { mut core, evidence } = asking();
    let answer = Message::response(7, OpCode::Query).to_vec().unwrap();
    assert_eq!(core.respond(&answer, ip("192.0.2.7"), Transport::Udp, &evidence), None);
}

#[test]
fn a_question_for_any_type_gets_one_record_that_says_so() {
    let mut asking = asking();
    let answer = asking.ask("www.example.com.", RecordType::ANY);
    let types: Vec<_> = answer.answers.iter().map(Record::record_type).collect();
    assert_eq!(types, [RecordType::HINFO]);
    assert_negative(&asking.ask("none.example.com.", RecordType::ANY), ResponseCode::NXDomain);
}

#[test]
fn r53_24_the_secondary_is_answered_once_the_primarys_check_fails() {
    let mut asking = asking();
    assert_eq!(addresses(&asking.ask("www.example.com.", RecordType::A)), [PRIMARY]);
    asking.evidence.set_health_check(check("p"), false);
    assert_eq!(addresses(&asking.ask("www.example.com.", RecordType::A)), [SECONDARY]);
}

#[test]
fn a_change_is_told_once_for_each_place_and_names_the_cell() {
    let mut asking = asking();
    let told = |answer: &str, last_resort| {
        Some(vec![WeighedAnswer { answer: answer.to_owned(), probability: 1.0, ttl: 60, last_resort }])
    };
    assert_eq!(asking.changed("www.example.com.", "10.49.0.1"), told("one", false));
    assert_eq!(asking.changed("WWW.example.com.", "10.49.0.2"), None, "the same place");
    assert_eq!(asking.changed("www.example.com.", "10.55.0.1"), told("one", false));
    asking.evidence.set_health_check(check("p"), false);
    assert_eq!(asking.changed("www.example.com.", "10.49.0.1"), told("two", false));
    asking.evidence.set_health_check(check("s"), false);
    assert_eq!(asking.changed("www.example.com.", "10.49.0.1"), told("one", true));
    assert_eq!(asking.changed("none.example.com.", "10.49.0.1"), None, "a name that never was");
}

#[test]
fn a_change_of_weights_is_told_with_every_answer_and_its_probability() {
    let mut asking = asking();
    let answers = asking.changed("weighted.example.com.", "10.49.0.1").unwrap();
    let shares: Vec<_> = answers.iter().map(|one| (one.answer.as_str(), (one.probability * 3.0).round())).collect();
    assert_eq!(shares, [("one", 1.0), ("two", 2.0)]);
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let bytes = |seed| {
        let mut core = Authoritative::new(super::super::AuthoritativeSettings { seed, ..authoritative() }).unwrap();
        let evidence = EvidenceBoard::default();
        let message = {
            let mut message = query("weighted.example.com.", RecordType::A);
            message.metadata.id = 1;
            message.to_vec().unwrap()
        };
        (0..40)
            .map(|_| core.respond(&message, ip("192.0.2.7"), Transport::Udp, &evidence).unwrap().bytes)
            .collect::<Vec<_>>()
    };
    assert_eq!(bytes(1), bytes(1));
    assert_ne!(bytes(1), bytes(2));
}

#[test]
fn an_asker_gets_the_same_picks_whoever_asks_in_between() {
    let message = query("weighted.example.com.", RecordType::A).to_vec().unwrap();
    let evidence = EvidenceBoard::default();
    let row = |others: usize| {
        let mut core = Authoritative::new(authoritative()).unwrap();
        (0..40)
            .map(|_| {
                for _ in 0..others {
                    core.respond(&message, ip("192.0.2.8"), Transport::Udp, &evidence);
                }
                core.respond(&message, ip("192.0.2.7"), Transport::Udp, &evidence).unwrap().bytes
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(row(0), row(3));
}
