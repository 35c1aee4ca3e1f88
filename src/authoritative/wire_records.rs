//! The zone's values in the form that goes onto the wire, and the records that every hosted zone has.

use std::collections::BTreeMap;
use std::net::IpAddr;

use hickory_proto::rr::rdata::{NS, NULL, SOA};
use hickory_proto::rr::{Name, RData, Record, RecordType};
use hickory_proto::serialize::binary::{BinEncodable, BinEncoder};

use crate::zone::{RecordData, SPF, Zone, value_form};

use super::{NameServer, ValueError};

/// As Route 53 creates them ("NS and SOA records that Amazon Route 53 creates for a public hosted zone").
const NS_TTL: u32 = 172_800;
const SOA_TTL: u32 = 900;
const HOST_MASTER: &str = "awsdns-hostmaster.amazon.com.";

/// Records ready for the wire.
#[derive(Debug)]
pub(super) struct WireRecords {
    values: BTreeMap<(RecordType, String), RData>,
    /// The zone's SOA record.
    pub(super) soa: Record,
    /// The zone's NS records.
    pub(super) ns: Vec<Record>,
    /// Addresses of name servers, the zone's own and those of delegations.
    glue: BTreeMap<Name, Vec<Record>>,
}

impl WireRecords {
    pub(super) fn of(zone: &Zone, name_servers: &[NameServer]) -> Result<Self, ValueError> {
        let mut values = BTreeMap::new();
        for ((name, rtype), group) in &zone.groups {
            for text in group.records.iter().flat_map(|record| match &record.data {
                RecordData::Values { values, .. } => values.as_slice(),
                RecordData::Alias(_) => &[],
            }) {
                let rdata = parse(*rtype, text).map_err(|problem| ValueError {
                    name: name.to_string(),
                    rtype: *rtype,
                    value: text.clone(),
                    problem,
                })?;
                values.insert((*rtype, text.clone()), rdata);
            }
        }
        let plain = |name: &Name, rtype| plain_records(zone, &values, name, rtype);
        let mut ns = plain(&zone.apex, RecordType::NS);
        if ns.is_empty() {
            let record = |server: &NameServer| ns_record(&zone.apex, server.name.clone());
            ns = name_servers.iter().map(record).collect();
        }
        let soa = plain(&zone.apex, RecordType::SOA).pop().unwrap_or_else(|| created_soa(&zone.apex, name_servers));
        let mut glue: BTreeMap<Name, Vec<Record>> = BTreeMap::new();
        for server in zone.groups.keys().filter(|(_, rtype)| *rtype == RecordType::NS).flat_map(|(cut, rtype)| {
            plain(cut, *rtype).into_iter().filter_map(|record| target_of(&record.data).cloned())
        }) {
            let mut addresses = plain(&server, RecordType::A);
            addresses.extend(plain(&server, RecordType::AAAA));
            glue.insert(server, addresses);
        }
        for server in name_servers {
            let record = |address: &IpAddr| Record::from_rdata(server.name.clone(), NS_TTL, RData::from(*address));
            glue.insert(server.name.to_lowercase(), server.addresses.iter().map(record).collect());
        }
        Ok(Self { values, soa, ns, glue })
    }

    /// The wire form of a value of the zone.
    pub(super) fn rdata(&self, rtype: RecordType, value: &str) -> Option<&RData> {
        self.values.get(&(rtype, value.to_owned()))
    }

    /// The addresses of the servers that these NS records name, as far as they are known.
    pub(super) fn glue<'r>(&'r self, ns: &'r [Record]) -> impl Iterator<Item = &'r Record> {
        ns.iter().filter_map(|record| target_of(&record.data)).filter_map(|name| self.glue.get(name)).flatten()
    }

    /// The SOA record as a negative answer carries it: its TTL is how long the answer may be kept (R53-178, RFC 2308).
    pub(super) fn negative_soa(&self) -> Record {
        let mut soa = self.soa.clone();
        if let RData::SOA(data) = &soa.data {
            soa.ttl = soa.ttl.min(data.minimum);
        }
        soa
    }
}

/// A value in presentation format, read by the type's own rules.
fn parse(rtype: RecordType, value: &str) -> Result<RData, String> {
    match rtype {
        SPF => {
            let text =
                RData::try_from_str(RecordType::TXT, value).map_err(|_| format!("expected {}", value_form(rtype)))?;
            let mut bytes = Vec::new();
            text.emit(&mut BinEncoder::new(&mut bytes)).map_err(|error| error.to_string())?;
            Ok(RData::Unknown { code: rtype, rdata: NULL::with(bytes) })
        }
        // The library keeps DS for signing zones, which is not done here.
        RecordType::DS => {
            let bytes = delegation_signer(value)
                .ok_or("expected a key tag, an algorithm, a digest type and a digest in hexadecimal")?;
            Ok(RData::Unknown { code: rtype, rdata: NULL::with(bytes) })
        }
        _ => RData::try_from_str(rtype, value).map_err(|_| format!("expected {}", value_form(rtype))),
    }
}

/// The wire form of a DS value (RFC 4034, section 5.1).
fn delegation_signer(value: &str) -> Option<Vec<u8>> {
    let mut fields = value.split_ascii_whitespace();
    let key_tag: u16 = fields.next()?.parse().ok()?;
    let mut bytes = key_tag.to_be_bytes().to_vec();
    for _ in ["algorithm", "digest type"] {
        bytes.push(fields.next()?.parse().ok()?);
    }
    let digest: String = fields.collect();
    let pairs = digest.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2));
    let digest: Vec<u8> = pairs.map(|pair| u8::from_str_radix(pair?, 16).ok()).collect::<Option<_>>()?;
    bytes.extend(digest);
    (bytes.len() > 4).then_some(bytes)
}

/// All plain values of a group as records, whatever its policy: glue and apex records have none.
fn plain_records(
    zone: &Zone,
    parsed: &BTreeMap<(RecordType, String), RData>,
    name: &Name,
    rtype: RecordType,
) -> Vec<Record> {
    let mut records = Vec::new();
    for record in zone.group(&name.to_lowercase(), rtype).iter().flat_map(|group| &group.records) {
        if let RecordData::Values { ttl, values } = &record.data {
            let parsed = values.iter().filter_map(|value| parsed.get(&(rtype, value.clone())));
            records.extend(parsed.map(|rdata| Record::from_rdata(name.clone(), *ttl, rdata.clone())));
        }
    }
    records
}

pub(super) fn ns_record(owner: &Name, server: Name) -> Record {
    Record::from_rdata(owner.clone(), NS_TTL, RData::NS(NS(server)))
}

fn created_soa(apex: &Name, name_servers: &[NameServer]) -> Record {
    let first = name_servers.first().map_or_else(|| apex.clone(), |server| server.name.clone());
    let host_master = Name::from_ascii(HOST_MASTER).unwrap_or_else(|_| apex.clone());
    let data = SOA::new(first, host_master, 1, 7200, 900, 1_209_600, 86_400);
    Record::from_rdata(apex.clone(), SOA_TTL, RData::SOA(data))
}

fn target_of(rdata: &RData) -> Option<&Name> {
    match rdata {
        RData::NS(NS(name)) => Some(name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::zone::SUPPORTED_TYPES;

    #[test]
    fn every_type_that_route_53_takes_has_a_wire_form() {
        let mut left: BTreeSet<RecordType> = SUPPORTED_TYPES.iter().map(|(_, rtype)| *rtype).collect();
        for (rtype, value) in [
            ("A", "192.0.2.1"),
            ("AAAA", "2001:db8::1"),
            ("CAA", "0 issue \"ca.example.net\""),
            ("CNAME", "www.example.com"),
            ("DS", "123 4 5 1234567890abcdef"),
            ("HTTPS", "1 . alpn=h2"),
            ("MX", "10 mail.example.com."),
            ("NAPTR", "100 50 \"u\" \"sip+E2U\" \"!^.*$!sip:info@example.com!\" ."),
            ("NS", "ns-1.example.com."),
            ("PTR", "www.example.com."),
            ("SOA", "ns-1.example.net. hostmaster.example.com. 1 7200 900 1209600 86400"),
            ("SRV", "10 5 80 host.example.com."),
            ("SSHFP", "1 1 09F6A01D2175742B257C6B98B7C72C44C4040683"),
            ("SVCB", "1 ."),
            ("TLSA", "3 1 1 8CE14CBE1FAFAE9FB25845D335D0E416BC2FCC6D2F3B4EB5A5B5A5B5A5B5A5B5"),
            ("TXT", "\"one string\" \"and; another\""),
        ] {
            let rtype: RecordType = rtype.parse().unwrap();
            let parsed = parse(rtype, value);
            assert!(parsed.is_ok(), "{rtype} {value}: {parsed:?}");
            assert_eq!(parsed.unwrap().record_type(), rtype);
            left.remove(&rtype);
        }
        assert_eq!(left, BTreeSet::from([SPF]), "which has a test of its own");
    }

    #[test]
    fn an_spf_value_has_the_wire_form_of_a_txt_value() {
        let RData::Unknown { code, rdata } = parse(SPF, "\"v=spf1 -all\"").unwrap() else { panic!() };
        assert_eq!(code, SPF);
        assert_eq!(rdata.anything, b"\x0bv=spf1 -all");
    }

    #[test]
    fn a_value_that_is_none_of_its_type_is_refused() {
        assert!(parse(RecordType::A, "2001:db8::1").is_err());
        assert!(parse(RecordType::MX, "mail.example.com.").is_err());
        for value in ["123 4 5", "123 4 5 123", "123 4 5 12xy", "123456 4 5 1234"] {
            assert!(parse(RecordType::DS, value).is_err(), "{value}");
        }
    }
}
