//! Change batches, and whether what was submitted last is taken: batches, CIDR collections, health checks, alarms.

use std::collections::BTreeSet;
use std::path::Path;

use crate::geography::{COUNTRIES, UNSUPPORTED_COUNTRIES};
use crate::gherkin::catalogue::{Theme, step};
use crate::gherkin::{Call, Explanation, World};
use crate::zone::validate::check_health_checks;
use crate::zone::{HealthCheckId, RecordSet, Zone, ZoneErrors, route53_json};

pub(super) const THEME: Theme = Theme {
    name: "changes",
    about: "what is submitted to Route 53's API, and whether it is taken; what is taken is served from then on",
    entries: &[
        step!(When "the change batch is submitted:", Inside, batch,
            "When the change batch is submitted:\n  \
             \"\"\"\n  \
             {\"Changes\": [{\"Action\": \"UPSERT\", \"ResourceRecordSet\": {\"Name\": \"www.example.com\", \"Type\": \"A\",\n    \
             \"TTL\": 60, \"ResourceRecords\": [{\"Value\": \"192.0.2.1\"}]}}]}\n  \
             \"\"\""),
        step!(When "a change batch creates {int} {policy} record sets at {string}", Inside, many_record_sets,
            "When a change batch creates 101 weighted record sets at \"www\""),
        step!(When "a change batch is to {action} TXT {string} with {int} values of {int} characters in sets of {int}",
            Inside, many_values,
            "When a change batch is to UPSERT TXT \"long\" with 501 values of 6 characters in sets of 250"),
        step!(Then "it is {taken}", Inside, is, "Then it is refused: \"R53-15\""),
    ],
};

/// What errors call the text of a step.
const BATCH: &str = "change batch";

/// More than a batch may have by far (R53-219).
const MOST_CHARACTERS: usize = 1_000_000;

fn batch(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    submit(world, call.doc_string()?)
}

fn submit(world: &mut World, text: &str) -> Result<(), Explanation> {
    let standing = &world.zone()?.zone;
    let changed = route53_json::apply_change_batch(standing, Path::new(BATCH), text);
    let changed = match (changed, world.known_health_checks()) {
        (Ok(zone), Some(known)) => names_known(standing, &known, &zone).map(|()| zone),
        (changed, _) => changed,
    };
    if let Some(zone) = judge(world, changed)? {
        world.zone_mut()?.zone = zone;
    }
    Ok(())
}

/// Whether the record sets that a batch sets name health checks that exist (R53-108). What stands already is not asked again.
fn names_known(standing: &Zone, known: &BTreeSet<HealthCheckId>, changed: &Zone) -> Result<(), ZoneErrors> {
    let before: Vec<&RecordSet> = standing.record_sets().collect();
    let set = changed.record_sets().filter(|record| !before.contains(record)).cloned();
    check_health_checks(&changed.with_record_sets(set.collect::<Vec<_>>()), known)
}

/// Notes whether the subject takes it. What a mutant takes though it should be refused has no form in which it could be
/// served: nothing changes.
pub(super) fn judge<T>(world: &mut World, read: Result<T, ZoneErrors>) -> Result<Option<T>, Explanation> {
    let (taken, problems) = match read {
        Ok(taken) => (Some(taken), Vec::new()),
        Err(ZoneErrors(problems)) => (None, world.setting()?.deviation().refusals(problems)),
    };
    world.submit(ZoneErrors::none_of(problems).map_err(|errors| errors.to_string()));
    Ok(taken)
}

fn many_record_sets(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let (count, policy, owner) = (call.count(0)?, call.word(1), world.zone()?.name(call.word(2)));
    let owner = owner.map_err(|problem| call.refuse(problem))?;
    let routing = |number: usize| match policy {
        "weighted" => Some("\"Weight\": 1".to_owned()),
        "multivalue" => Some("\"MultiValueAnswer\": true".to_owned()),
        "geoproximity" => Some(format!(
            "\"GeoProximityLocation\": {{\"Coordinates\": {{\"Latitude\": \"{}\", \"Longitude\": \"0\"}}}}",
            number % 90
        )),
        "geolocation" => {
            let country = COUNTRIES.iter().filter(|known| !UNSUPPORTED_COUNTRIES.contains(&known.code)).nth(number)?;
            Some(format!("\"GeoLocation\": {{\"CountryCode\": \"{}\"}}", country.code))
        }
        _ => None,
    };
    let change = |number: usize| {
        let routing = routing(number)?;
        let address = std::net::Ipv4Addr::from_bits(0xc612_0000 + u32::try_from(number).ok()?);
        Some(format!(
            "{{\"Action\": \"CREATE\", \"ResourceRecordSet\": {{\"Name\": \"{owner}\", \"Type\": \"A\", \
             \"SetIdentifier\": \"{number}\", {routing}, \"TTL\": 60, \"ResourceRecords\": [{{\"Value\": \"{address}\"}}]}}}}"
        ))
    };
    let changes: Option<Vec<String>> = (0..count).map(change).collect();
    let changes = changes.ok_or_else(|| {
        call.refuse(format!(
            "{count} record sets that are {policy} cannot be made up here; expected at most one for each country"
        ))
    })?;
    submit(world, &batch_of(&changes))
}

fn many_values(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let (action, count, length, size) = (call.word(0), call.count(2)?, call.count(3)?, call.count(4)?);
    let owner = world.zone()?.name(call.word(1)).map_err(|problem| call.refuse(problem))?;
    if count.saturating_mul(length) > MOST_CHARACTERS {
        return Err(call.refuse(format!(
            "{count} values of {length} characters are too much; expected at most \
             {MOST_CHARACTERS} characters together"
        )));
    }
    let digits = length.saturating_sub(2);
    if size == 0 || count.saturating_sub(1).to_string().len() > digits {
        return Err(call.refuse("a set has a value at least, and a value its two quotes and enough digits to be told"));
    }
    let values: Vec<String> =
        (0..count).map(|number| format!("{{\"Value\": \"\\\"{number:0digits$}\\\"\"}}")).collect();
    let change = |(number, values): (usize, &[String])| {
        format!(
            "{{\"Action\": \"{action}\", \"ResourceRecordSet\": {{\"Name\": \"{number}.{owner}\", \"Type\": \"TXT\", \
             \"TTL\": 60, \"ResourceRecords\": [{}]}}}}",
            values.join(", ")
        )
    };
    submit(world, &batch_of(&values.chunks(size).enumerate().map(change).collect::<Vec<_>>()))
}

/// Whether a text holds another one that does not go on as a longer number: `R53-155` does not say `R53-15`.
fn says(text: &str, part: &str) -> bool {
    let goes_on = |end: usize| {
        part.ends_with(|last: char| last.is_ascii_digit())
            && text[end..].starts_with(|next: char| next.is_ascii_digit())
    };
    text.match_indices(part).any(|(start, _)| !goes_on(start + part.len()))
}

fn batch_of(changes: &[String]) -> String {
    format!("{{\"Changes\": [\n{}\n]}}", changes.join(",\n"))
}

fn is(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let taken = call.choice("taken", 0)?;
    let answered = world.submitted.as_ref();
    let answered = answered.ok_or_else(|| call.refuse("nothing was submitted yet; expected a step that submits"))?;
    match (taken.choice, answered) {
        ("accepted", Ok(())) => Ok(()),
        ("accepted", Err(refusal)) => {
            Err(Explanation::wrong(format!("expected: it is accepted\nanswered: refused: {refusal}")))
        }
        (_, Err(refusal)) if says(refusal, taken.text) => Ok(()),
        (_, answered) => {
            let told =
                answered.as_ref().map_or_else(|refusal| format!("refused: {refusal}"), |()| "accepted".to_owned());
            Err(Explanation::wrong(format!("expected: a refusal that says `{}`\nanswered: {told}", taken.text)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::says;

    #[test]
    fn a_number_is_not_the_beginning_of_a_longer_one() {
        assert!(says("refused (R53-15), twice", "R53-15") && says("at R53-155 and R53-15", "R53-15"));
        assert!(!says("refused (R53-155)", "R53-15"));
        assert!(says("already exists", "already") && !says("accepted", "already"));
    }
}
