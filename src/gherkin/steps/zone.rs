//! What is served: record sets, CIDR collections, places, switches.

use std::path::Path;

use crate::decide::Switches;
use crate::gherkin::catalogue::{Theme, step};
use crate::gherkin::parameters::{duration, subnet};
use crate::gherkin::zone_table;
use crate::gherkin::zone_under_test::ZoneUnderTest;
use crate::gherkin::{Call, Explanation, World};
use crate::source::read_text;
use crate::zone::{CidrCollection, Visibility, Zone, name_of_text, route53_json};

use super::changes::judge;

pub(super) const THEME: Theme = Theme {
    name: "zone",
    about: "what is served; a CIDR collection may stand as the CidrBlocks of Route 53's API too",
    entries: &[
        step!(Given "the zone {string} with the record sets:", Nothing, public_zone,
            "Given the zone \"example.com\" with the record sets:\n  \
             | name | type | routing            | id        | health check | alias to | evaluate target health | ttl | values                 |\n  \
             | www  | A    | failover primary   | primary   | hc-p         |          |                        | 60  | 192.0.2.1, 192.0.2.2   |\n  \
             | www  | A    | failover secondary | secondary |              | spare    | yes                    |     |                        |\n  \
             | spare | A   |                    |           |              |          |                        |     |                        |"),
        step!(Given "the private zone {string} with the record sets:", Inside, private_zone,
            "Given the private zone \"corp.example\" with the record sets:\n  \
             | name | routing           | id |\n  \
             | db   | latency sa-east-1 | br |"),
        step!(Given "the zone {origin}", Nothing, zone_of,
            "Given the zone of the file \"zones/multi-region-api.route53.json\""),
        step!(
            Given "the record sets of {type} {string} are gone",
            Inside,
            gone,
            "Given the record sets of A \"spare\" are gone"
        ),
        step!(Given "the zone is signed with DNSSEC", Inside, signed, "Given the zone is signed with DNSSEC"),
        step!(Given | When "the CIDR collection {string} is created:", Inside, cidr_collection,
            "Given the CIDR collection \"offices\" is created:\n  \
             | location | blocks                          |\n  \
             | hq       | 198.51.100.0/24, 2001:db8::/48  |"),
        step!(Given "the network {subnet} is in {place}", Inside, network,
            "Given the network 198.51.100.0/24 is in Brazil"),
        step!(Given "the latency from {place}:", Inside, latency,
            "Given the latency from Brazil:\n  \
             | region    | latency |\n  \
             | us-east-1 | 110 ms  |"),
        step!(Given "the switch {switch} is {turn}", Inside, switch,
            "Given the switch \"query-relative child health\" is off"),
    ],
};

fn public_zone(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    from_table(world, call, Visibility::Public)
}

fn private_zone(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    from_table(world, call, Visibility::Private)
}

fn from_table(world: &mut World, call: &Call<'_>, visibility: Visibility) -> Result<(), Explanation> {
    let written = call.word(0);
    let mut apex = name_of_text(written)
        .map_err(|problem| call.refuse(format!("`{written}` is no name of a zone: {problem}")))?
        .to_lowercase();
    apex.set_fqdn(true);
    let mut zone = zone_table::zone(call, &apex, visibility)?;
    // Collections may be told before the zone.
    if let Ok(before) = world.zone() {
        zone.cidr_collections.clone_from(&before.zone.cidr_collections);
    }
    world.set_zone(ZoneUnderTest { zone, switches: Switches::default() });
    Ok(())
}

fn zone_of(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let origin = call.choice("origin", 0)?;
    let zone = if origin.choice == "under test" {
        let zone = world.setting()?.zone.as_ref().map(|zone| Zone::clone(zone));
        zone.ok_or_else(|| call.refuse("there is no zone under test; expected `--zone <file>` on the command line"))?
    } else {
        of_file(call, origin.text)?
    };
    world.set_zone(ZoneUnderTest { zone, switches: Switches::default() });
    Ok(())
}

/// A file's path is seen from the folder of the feature.
fn of_file(call: &Call<'_>, path: &str) -> Result<Zone, Explanation> {
    let folder = call.file().file.parent().map(Path::to_path_buf).unwrap_or_default();
    let path = folder.join(path);
    let text = read_text(&path).map_err(|error| call.refuse(format!("{} cannot be read: {error}", path.display())))?;
    crate::formats::read_zone(&path, &text, None).map_err(|errors| call.refuse(errors.to_string()))
}

/// As no change batch could leave it: whatever points at them points at nothing.
fn gone(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let (rtype, name) = (call.record_type(0)?, world.zone()?.name(call.word(1)));
    let name = name.map_err(|problem| call.refuse(problem))?;
    let lost = world.zone_mut()?.zone.groups.remove(&(name, rtype));
    lost.map(|_| ()).ok_or_else(|| call.refuse(format!("there are no record sets of {}", call.word(1))))
}

fn signed(world: &mut World, _: &Call<'_>) -> Result<(), Explanation> {
    world.zone_mut()?.zone.signed = true;
    Ok(())
}

fn cidr_collection(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let collection = if call.has_table() {
        cidr_table(call)?
    } else {
        let read = route53_json::read_cidr_blocks(Path::new("CIDR collection"), call.doc_string()?);
        let Some(collection) = judge(world, read)? else { return Ok(()) };
        if world.zone().is_err() {
            return Ok(());
        }
        collection
    };
    world.zone_mut()?.zone.cidr_collections.insert(call.word(0).to_owned(), collection);
    Ok(())
}

fn cidr_table(call: &Call<'_>) -> Result<CidrCollection, Explanation> {
    let mut collection = CidrCollection::new();
    let rows = call.rows(&["location", "blocks"], &["location", "blocks"])?;
    rows.each_once(&["location"])?;
    for row in rows.iter() {
        let blocks = row.need_as("blocks", |text| text.split(", ").map(|block| subnet(block.trim())).collect())?;
        collection.insert(row.need("location")?.to_owned(), blocks);
    }
    Ok(collection)
}

fn network(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let (network, viewpoint) = (call.subnet(0)?, call.place(1)?);
    world.locate(network, &format!("{} in {}", call.word(0), call.word(1)), viewpoint);
    Ok(())
}

fn latency(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let (place, viewpoint) = (call.word(0), call.place(0)?);
    world.address_in(place, &viewpoint);
    let mut measured = std::collections::BTreeMap::new();
    let rows = call.rows(&["region", "latency"], &["region", "latency"])?;
    rows.each_once(&["region"])?;
    for row in rows.iter() {
        measured.insert(row.need("region")?.to_owned(), row.need_as("latency", duration)?);
    }
    if let Some(known) = world.viewpoint_mut(place) {
        known.latency = measured;
    }
    Ok(())
}

type Turn = fn(&mut Switches) -> &mut bool;

const SWITCHES: [(&str, Turn); 5] = [
    ("simple alias passes health up", |switches| &mut switches.simple_alias_passes_health_up),
    ("query-relative child health", |switches| &mut switches.query_relative_health),
    ("IP-based falls back to broader locations", |switches| &mut switches.ip_based_falls_back),
    ("zero weight keeps its group healthy", |switches| &mut switches.zero_weight_keeps_group_healthy),
    ("sites and gateways are always healthy", |switches| &mut switches.sites_and_gateways_always_healthy),
];

fn switch(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let chosen = call.choice("switch", 0)?.choice.trim_matches('"');
    let found = SWITCHES.iter().find(|(name, _)| *name == chosen);
    let (_, turn) =
        found.ok_or_else(|| call.refuse(format!("switch `{chosen}` turns nothing; this is a defect of muster")))?;
    *turn(&mut world.zone_mut()?.switches) = call.is_on(1);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gherkin::parameters::parameter;

    #[test]
    fn every_switch_can_be_said_and_turns_something() {
        let said = parameter("switch").unwrap().written.choices().iter().map(|choice| choice.trim_matches('"'));
        assert_eq!(said.collect::<Vec<_>>(), SWITCHES.map(|(name, _)| name));
    }
}
