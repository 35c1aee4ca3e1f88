//! What endpoints do, and what probes of them come to.

use std::collections::BTreeSet;

use crate::gherkin::catalogue::{Theme, step};
use crate::gherkin::parameters::duration;
use crate::gherkin::signals::{Behaviour, ContentEncoding, Endpoint, ProbedEngine};
use crate::gherkin::table::Row;
use crate::gherkin::{Call, Explanation, World};
use crate::health::{CertificateProblem, Verdict};
use crate::source::nearest;
use crate::zone::HealthCheckId;

use super::checks::not_created;

pub(super) const THEME: Theme = Theme {
    name: "endpoint",
    about: "what endpoints do, and what probes of them come to; a new endpoint answers 200 at once, and its settings are \
            connects in, certificate, status, status after, headers, body, body ends at byte, body after, content \
            encoding",
    entries: &[
        step!(Given | When "the endpoint of {string} answers:", Inside, answers_so,
            "When the endpoint of \"hc-east\" answers:\n  \
             | setting     | value |\n  \
             | connects in | 4 s   |\n  \
             | status      | 302   |"),
        step!(Given | When "the endpoint of {string} {behaviour}", Inside, behaves,
            "When the endpoint of \"hc-east\" refuses connections"),
        step!(When "every checker of {string} sees {string}", Inside, every_checker_sees,
            "When every checker of \"hc-east\" sees \"fail fail pass\""),
        step!(Given | When "{int} of {int} checkers find the endpoint of {string} healthy", Inside, checkers_find,
            "When 9 of 50 checkers find the endpoint of \"hc-east\" healthy"),
        step!(Then "a probe of {string} {verdict}", Inside, probe,
            "Then a probe of \"hc-east\" fails: \"status 404\""),
        step!(Then "the endpoint of {string} is probed {int} to {int} times in {duration}, from {int} Regions", Inside,
            is_probed, "Then the endpoint of \"hc-east\" is probed 14 to 16 times in 30 s, from 8 Regions"),
    ],
};

/// The endpoint of the health check that a parameter names.
pub(super) fn endpoint_of<'w>(
    world: &'w mut World,
    call: &Call<'_>,
    index: usize,
) -> Result<&'w mut Endpoint, Explanation> {
    let id = HealthCheckId(call.word(index).to_owned());
    world.signals.endpoint_mut(&id).ok_or_else(|| call.refuse(not_created(&id)))
}

/// What is not told stays as it was.
fn answers_so(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let rows = call.settings()?;
    let behaviour = &mut endpoint_of(world, call, 0)?.behaviour;
    for row in rows.iter() {
        set(behaviour, &row)?;
    }
    Ok(())
}

pub(super) const SETTINGS: [&str; 9] = [
    "connects in",
    "certificate",
    "status",
    "status after",
    "headers",
    "body",
    "body ends at byte",
    "body after",
    "content encoding",
];

fn set(behaviour: &mut Behaviour, row: &Row<'_>) -> Result<(), Explanation> {
    let setting = row.need("setting")?;
    if setting == "connects in" {
        behaviour.connects_in = Some(row.need_as("value", duration)?);
        return Ok(());
    }
    if setting == "certificate" {
        behaviour.certificate = row.need_as("value", certificate)?;
        return Ok(());
    }
    let answer = behaviour.answer.get_or_insert_default();
    match setting {
        "status" => answer.status = row.need_as("value", status)?,
        "status after" => answer.after = row.need_as("value", duration)?,
        "headers" => answer.headers = row.need_as("value", bytes)?,
        "body" => answer.body.bytes = row.need("value")?.as_bytes().to_vec(),
        // What was told as the body before is pushed so far back.
        "body ends at byte" => {
            let end = row.need_as("value", bytes)?;
            let text = std::mem::take(&mut answer.body.bytes);
            answer.body.bytes = [vec![b' '; end.saturating_sub(text.len())], text].concat();
        }
        "body after" => answer.body.after = row.need_as("value", duration)?,
        "content encoding" => answer.body.encoding = row.need_as("value", encoding)?,
        other => {
            let meant = nearest(other, SETTINGS).map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
            let problem = format!("setting `{other}` is not known; expected one of {}{meant}", SETTINGS.join(", "));
            return Err(row.refuse("setting", problem));
        }
    }
    Ok(())
}

fn status(text: &str) -> Result<u16, String> {
    let status = text.parse().ok().filter(|status| (100..=599).contains(status));
    status.ok_or_else(|| format!("`{text}` is no HTTP status; expected 100 to 599"))
}

/// Far beyond what a checker reads (R53-112).
const MOST_BYTES: usize = 1_000_000;

fn bytes(text: &str) -> Result<usize, String> {
    let bytes = text.parse().ok().filter(|bytes| *bytes <= MOST_BYTES);
    bytes.ok_or_else(|| format!("`{text}` is no number of bytes; expected a whole number from 0 to {MOST_BYTES}"))
}

fn certificate(text: &str) -> Result<Option<CertificateProblem>, String> {
    match text {
        "sound" => Ok(None),
        "expired" => Ok(Some(CertificateProblem::OutOfDate)),
        "for another name" => Ok(Some(CertificateProblem::OtherName)),
        "self-signed" => Ok(Some(CertificateProblem::SelfSigned)),
        "unreadable" => Ok(Some(CertificateProblem::Unreadable)),
        other => Err(format!(
            "certificate `{other}` is not known; expected sound, expired, for another name, self-signed or unreadable"
        )),
    }
}

fn encoding(text: &str) -> Result<Option<ContentEncoding>, String> {
    match text {
        "none" => Ok(None),
        "gzip" => Ok(Some(ContentEncoding::Gzip)),
        "deflate" => Ok(Some(ContentEncoding::Deflate)),
        "br" => Ok(Some(ContentEncoding::Other)),
        other => Err(format!("content encoding `{other}` is not known; expected none, gzip, deflate or br")),
    }
}

fn behaves(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let (machines, now, chosen) = (world.machines()?, world.now, call.choice("behaviour", 1)?);
    let endpoint = endpoint_of(world, call, 0)?;
    endpoint.behaviour = match chosen.choice {
        "refuses connections" => Behaviour { connects_in: None, ..Behaviour::default() },
        "accepts and never answers" => Behaviour { answer: None, ..Behaviour::default() },
        "has no IPv4 address" => Behaviour { resolves: false, ..Behaviour::default() },
        "has no checker that reports" => return fleet_says(world, call, 0, (0, 0)),
        "tells the verdict on an engine" => {
            endpoint.engine = Some(ProbedEngine::new(machines, now));
            Behaviour::default()
        }
        _ => Behaviour::default(),
    };
    Ok(())
}

/// Each probe is answered at once, so that every checker makes one in each interval.
fn every_checker_sees(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    if call.word(1).trim().is_empty() {
        return Err(call.refuse("nothing is seen; expected results of probes, as in `sees \"fail fail pass\"`"));
    }
    for word in call.word(1).split_whitespace() {
        let endpoint = endpoint_of(world, call, 0)?;
        endpoint.behaviour = match word {
            "pass" => Behaviour::default(),
            "fail" => Behaviour { connects_in: None, ..Behaviour::default() },
            other => return Err(call.refuse(format!("`{other}` is no result of a probe; expected pass or fail"))),
        };
        let interval = endpoint.check.interval;
        world.advance(interval)?;
    }
    Ok(())
}

fn checkers_find(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let (healthy, reporting) = (call.count(0)?, call.count(1)?);
    if reporting == 0 {
        return Err(call.refuse(
            "nobody reports; expected one checker at least, or `the endpoint of \"…\" has no checker that reports`",
        ));
    }
    if healthy > reporting {
        return Err(call.refuse(format!("{healthy} of {reporting} are more than all; expected {reporting} at most")));
    }
    fleet_says(world, call, 2, (healthy, reporting))
}

/// A fleet of a size that the scenario chooses, which is asked for its verdict alone.
fn fleet_says(
    world: &mut World,
    call: &Call<'_>,
    index: usize,
    (healthy, reporting): (usize, usize),
) -> Result<(), Explanation> {
    let machines = world.machines()?;
    let id = HealthCheckId(call.word(index).to_owned());
    let status = world.signals.checks.get(&id).map(|check| check.status);
    let status = machines.status(status.ok_or_else(|| call.refuse(not_created(&id)))?);
    world.set_health_check(id, status.apply(machines.endpoint_is_healthy(healthy, reporting)));
    Ok(())
}

fn probe(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let (now, machines, expected) = (world.now, world.machines()?, call.choice("verdict", 1)?);
    let endpoint = endpoint_of(world, call, 0)?;
    let (holds, found) = if expected.choice.starts_with("sends") {
        let lines = endpoint.addressee();
        (lines.iter().any(|line| line == expected.text), lines.join(", "))
    } else {
        let (verdict, _) = endpoint.probe(now, machines);
        let holds = match &verdict {
            Verdict::Passed => expected.choice == "passes",
            Verdict::Failed(failure) => expected.choice != "passes" && failure.to_string().contains(expected.text),
        };
        (holds, verdict.to_string())
    };
    if holds {
        return Ok(());
    }
    let (id, expected) = (call.word(0), call.word(1));
    Err(Explanation::wrong(format!("a probe of {id}\nexpected: {expected}\nfound:    {found}")))
}

fn is_probed(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let ((least, most), within, regions) = (call.counts(1, 2)?, call.duration(3)?, call.count(4)?);
    if within.is_zero() {
        return Err(call.refuse("in no time nothing is probed; expected a time above 0 s"));
    }
    let start = world.now;
    world.advance(within)?;
    let probes: Vec<_> = endpoint_of(world, call, 0)?.probes_since(start).collect();
    let from: BTreeSet<&str> = probes.iter().map(|checker| checker.region()).collect();
    if (least..=most).contains(&probes.len()) && from.len() == regions {
        return Ok(());
    }
    Err(Explanation::wrong(format!(
        "probes of {} in {} s\nexpected: {least} to {most}, from {regions} Regions\nfound:    {}, from {}",
        call.word(0),
        within.as_secs_f64(),
        probes.len(),
        from.len()
    )))
}
