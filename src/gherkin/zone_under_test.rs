//! The zone that a scenario speaks of: its record sets, and what stands around it.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use hickory_proto::rr::{Name, RData, RecordType};

use crate::authoritative::NameServer;
use crate::decide::Switches;
use crate::source::nearest;
use crate::zone::{RecordData, RecordSet, Zone, name_of_text, type_text, value_form};

use super::exchange::data_text;

/// A zone, and what a server is told beside it.
#[derive(Clone, Debug)]
pub struct ZoneUnderTest {
    /// As it was written.
    pub zone: Zone,
    /// What AWS does not state in words.
    pub switches: Switches,
}

impl ZoneUnderTest {
    /// A name as a step writes it: absolute, below the apex, or the apex itself, `@`.
    ///
    /// # Errors
    /// When it is no name.
    pub fn name(&self, written: &str) -> Result<Name, String> {
        name_in(&self.zone.apex, written)
    }

    /// The addresses of the AWS resources that aliases point at: each has its own.
    #[must_use]
    pub fn resources(&self) -> BTreeMap<Name, Vec<IpAddr>> {
        let addresses = |index: usize| {
            let host = u8::try_from(index % 250).unwrap_or_default() + 1;
            let v6 = Ipv6Addr::new(0x2001, 0xdb8, 0xffff, 0, 0, 0, 0, u16::from(host));
            vec![IpAddr::V4(Ipv4Addr::new(203, 0, 113, host)), IpAddr::V6(v6)]
        };
        let targets = self.zone.aliases_to_resources();
        targets.into_iter().enumerate().map(|(index, name)| (name, addresses(index))).collect()
    }

    /// The servers that Route 53 would give the zone.
    #[must_use]
    pub fn name_servers(&self) -> Vec<NameServer> {
        let server = |text: &str, host| {
            let name = Name::from_ascii(text).ok()?;
            Some(NameServer { name, addresses: vec![IpAddr::V4(Ipv4Addr::new(198, 18, 0, host))] })
        };
        [server("ns-1.awsdns-01.example.net.", 1), server("ns-2.awsdns-02.example.org.", 2)]
            .into_iter()
            .flatten()
            .collect()
    }

    /// The data that an item of an answer stands for: those of a record set by its set identifier, of an AWS resource
    /// by its name, or the item itself as a value.
    ///
    /// # Errors
    /// When it is neither, or could be more than one.
    pub fn data_of(&self, item: &str, asked: &Name, rtype: RecordType) -> Result<BTreeSet<String>, String> {
        let same_id = |record: &&RecordSet| record.set_identifier.as_deref() == Some(item);
        let of_type = |record: &&RecordSet| record.rtype == rtype || record.rtype == RecordType::CNAME;
        let named: Vec<&RecordSet> = self.zone.record_sets().filter(same_id).filter(of_type).collect();
        let here = named.iter().copied().find(|record| record.name == *asked);
        match (here, named.as_slice()) {
            (Some(record), _) => self.data_of_record(record),
            (None, [only]) => self.data_of_record(only),
            (None, []) => self.data_of_value(item, rtype),
            (None, several) => {
                let owners: Vec<String> = several.iter().map(|record| record.name.to_string()).collect();
                Err(format!(
                    "set identifier `{item}` stands at {}; expected one that stands at one name",
                    owners.join(", ")
                ))
            }
        }
    }

    fn data_of_record(&self, record: &RecordSet) -> Result<BTreeSet<String>, String> {
        match &record.data {
            RecordData::Values { values, .. } => values.iter().map(|value| data_of_text(record.rtype, value)).collect(),
            RecordData::Alias(alias) if self.zone.is_resource(&alias.target) => {
                Ok(self.addresses(&alias.target, record.rtype))
            }
            RecordData::Alias(alias) => Err(format!(
                "`{}` is an alias to {}; expected a record set with values, or the set identifier of the one that it \
                 leads to",
                record.set_identifier.as_deref().unwrap_or_default(),
                alias.target
            )),
        }
    }

    fn data_of_value(&self, item: &str, rtype: RecordType) -> Result<BTreeSet<String>, String> {
        let resource = Name::from_ascii(item).ok().map(|name| name.to_lowercase());
        if let Some(name) = resource.filter(|name| self.zone.aliases_to_resources().contains(name)) {
            return Ok(self.addresses(&name, rtype));
        }
        data_of_text(rtype, item).map(|data| BTreeSet::from([data])).map_err(|_| {
            let ids = self.zone.record_sets().filter_map(|record| record.set_identifier.as_deref());
            let meant = nearest(item, ids).map_or_else(String::new, |id| format!("; did you mean `{id}`?"));
            let of_type = type_text(rtype);
            format!("`{item}` is no set identifier of a record of type {of_type}, nor a value of it{meant}")
        })
    }

    fn addresses(&self, target: &Name, rtype: RecordType) -> BTreeSet<String> {
        let addresses = self.resources().remove(target).unwrap_or_default();
        let of_type = addresses.into_iter().filter(|address| address.is_ipv4() == (rtype == RecordType::A));
        of_type.map(|address| address.to_string()).collect()
    }

    /// What data are called here: the set identifier of the record set that has exactly them, else the data.
    #[must_use]
    pub fn called(&self, data: &BTreeSet<String>) -> String {
        if data.is_empty() {
            return "nothing".to_owned();
        }
        let plain = data.iter().cloned().collect::<Vec<_>>().join(" + ");
        let owner = self.zone.record_sets().find(|record| self.data_of_record(record).as_ref() == Ok(data));
        match owner.and_then(|record| record.set_identifier.as_ref()) {
            Some(id) => format!("{id} ({plain})"),
            None => plain,
        }
    }
}

/// A name as a step or a table writes it: absolute, below the apex, or the apex itself, `@`.
pub(super) fn name_in(apex: &Name, written: &str) -> Result<Name, String> {
    if written == "@" {
        return Ok(apex.clone());
    }
    let parsed = name_of_text(written).map_err(|problem| format!("`{written}` is no name: {problem}"))?.to_lowercase();
    if parsed.is_fqdn() {
        return Ok(parsed);
    }
    let mut whole = parsed.clone();
    whole.set_fqdn(true);
    if apex.zone_of(&whole) {
        return Ok(whole);
    }
    parsed
        .append_domain(apex)
        .map_err(|_| format!("`{written}` below {apex} is longer than a name; expected at most 253 characters"))
}

/// A value in presentation format, in the form in which data are compared.
fn data_of_text(rtype: RecordType, value: &str) -> Result<String, String> {
    // An alias to nothing of that type is asked for by type; the value of a CNAME may stand without its last dot.
    let value = match rtype {
        RecordType::CNAME if !value.ends_with('.') => format!("{value}."),
        _ => value.to_owned(),
    };
    match rtype {
        RecordType::Unknown(_) | RecordType::DS => Ok(value),
        _ => RData::try_from_str(rtype, &value)
            .map(|data| data_text(&data))
            .map_err(|_| format!("`{value}` is no value of type {}; expected {}", type_text(rtype), value_form(rtype))),
    }
}
