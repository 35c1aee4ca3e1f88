//! What is answered.

use std::collections::{BTreeMap, BTreeSet};

use hickory_proto::op::ResponseCode;
use hickory_proto::rr::RData;

use crate::decide::Outcome;
use crate::gherkin::catalogue::{Theme, step};
use crate::gherkin::distribution::{CONFIDENCE, FRESH, Level, Observed, distance, sample_size};
use crate::gherkin::exchange::{Answer, data_text};
use crate::gherkin::world::counted;
use crate::gherkin::{Call, Explanation, World};

pub(super) const THEME: Theme = Theme {
    name: "answers",
    about: "what is answered; when many asked, every answer must be so",
    entries: &[
        step!(Then "the answer is {answers}", Nothing, is, "Then the answer is primary"),
        step!(Then "the answer is one of {answers}", Nothing, is_one_of, "Then the answer is one of e0, e1"),
        step!(Then "{answers} is/are never answered", Nothing, is_never, "Then spare is never answered"),
        step!(Then "the answers are shared:", Nothing, are_shared,
            "Then the answers are shared:\n  \
             | answer | share |\n  \
             | a      | 10    |\n  \
             | b      | 20    |"),
        step!(Then "{int} of the values is/are answered", Nothing, count_of_values,
            "Then 8 of the values are answered"),
        step!(Then "the answers {spread}", Nothing, spread, "Then the answers differ"),
        step!(Then "the {ttl} is {duration}", Nothing, ttl, "Then the TTL is 60 s"),
        step!(Then "the answer is the last resort", Inside, last_resort, "Then the answer is the last resort"),
    ],
};

type Data = BTreeSet<String>;

/// The data that an item of this step stands for.
fn data_of(world: &World, call: &Call<'_>, item: &str) -> Result<Data, Explanation> {
    let question = world.question()?;
    world.zone()?.data_of(item, &question.name, question.rtype).map_err(|problem| call.refuse(problem))
}

/// Every response must be such; the first that is not is told.
pub(super) fn every_response(
    world: &World,
    expected: &str,
    holds: impl Fn(&Answer) -> bool,
) -> Result<(), Explanation> {
    match world.answers()?.iter().find(|answer| !holds(answer)) {
        Some(other) => Err(world.wrong(expected, &world.told(other))),
        None => Ok(()),
    }
}

/// The same of answers, each of which must be one: with authority, of the name and the type that were asked for.
pub(super) fn every(world: &World, expected: &str, holds: impl Fn(&Answer) -> bool) -> Result<(), Explanation> {
    let question = world.question()?;
    every_response(world, expected, |answer| answer.unsound(question).is_none() && holds(answer))
}

/// The data of all items together: a multivalue answer, or a record set with several values, is one answer.
fn is(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let mut whole = Data::new();
    for item in call.items(0) {
        whole.extend(data_of(world, call, &item)?);
    }
    every(world, &world.zone()?.called(&whole), |answer| *answer.data() == whole)
}

fn is_one_of(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let items = call.items(0);
    let admitted: Vec<Data> = items.iter().map(|item| data_of(world, call, item)).collect::<Result<_, _>>()?;
    every(world, &format!("one of {}", items.join(", ")), |answer| admitted.contains(answer.data()))
}

/// Nothing is answered under a name that does not exist, and that would say nothing of these.
fn is_never(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    exists(world, call)?;
    let items = call.items(0);
    let mut refused = Data::new();
    for item in &items {
        refused.extend(data_of(world, call, item)?);
    }
    every(world, &format!("an answer or NODATA, and never {}", items.join(", ")), |answer| {
        answer.code() == ResponseCode::NoError && answer.data().is_disjoint(&refused)
    })
}

/// The rules have the name that was asked for.
fn exists(world: &World, call: &Call<'_>) -> Result<(), Explanation> {
    let name = &world.question()?.name;
    match world.decision()?.outcome {
        Outcome::NxDomain | Outcome::NotInZone => Err(call.refuse(format!(
            "{name} does not exist, so that this would hold whatever is served; expected a question for a name that \
             does"
        ))),
        Outcome::NoData | Outcome::Referral { .. } | Outcome::Answers(_) => Ok(()),
    }
}

/// There are several answers, and they are answers.
fn several(world: &World, call: &Call<'_>) -> Result<(), Explanation> {
    exists(world, call)?;
    match world.answers()?.len() {
        0 | 1 => Err(call.refuse(
            "one answer cannot be compared; expected several, as of `many clients ask for …` before this step",
        )),
        _ => Ok(()),
    }
}

fn are_shared(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let rows = call.rows(&["answer", "share"], &["answer", "share"])?;
    let mut shares: BTreeMap<Data, (String, f64)> = BTreeMap::new();
    for row in rows.iter() {
        let item = row.need("answer")?;
        let data = data_of(world, call, item)?;
        if shares.insert(data, (item.to_owned(), row.need_as("share", share)?)).is_some() {
            return Err(row.refuse("answer", format!("`{item}` cannot be told from another row's answer")));
        }
    }
    let whole: f64 = shares.values().map(|(_, share)| share).sum();
    for (item, share) in shares.values_mut() {
        *share /= whole;
        if *share < LEAST_SHARE {
            return Err(call.refuse(format!(
                "`{item}` has less than 1 of 5000 answers, which is too few to be told from none; expected a greater \
                 share, or `is never answered`"
            )));
        }
    }

    let size = sample_size(&shares.values().map(|(_, share)| *share).collect::<Vec<_>>());
    if world.answers()?.len() < size {
        world.ask_more(size)?;
    }
    if against(world, &shares, Level::Suspicion)?.is_none() {
        return Ok(());
    }
    world.ask_more(size * FRESH)?;
    against(world, &shares, Level::Judgement)?.map_or(Ok(()), Err)
}

/// What speaks against the shares in the answers that came.
///
/// # Errors
/// An answer that none of the shares is of: that is no matter of chance.
fn against(
    world: &World,
    shares: &BTreeMap<Data, (String, f64)>,
    level: Level,
) -> Result<Option<Explanation>, Explanation> {
    let expected: Vec<String> = shares.values().map(|(item, share)| format!("{item} {:.1} %", share * 100.0)).collect();
    let expected = expected.join(", ");
    every(world, &format!("{expected}, and no others"), |answer| shares.contains_key(answer.data()))?;
    let counts = counted(world.answers()?);
    let observed: Vec<Observed> = shares
        .iter()
        .map(|(data, (_, share))| Observed { count: counts.get(data).copied().unwrap_or(0), share: *share })
        .collect();
    let distance = distance(&observed, level);
    if !distance.is_rejected() {
        return Ok(None);
    }
    let total: usize = observed.iter().map(|one| one.count).sum();
    let each: Vec<String> =
        shares.values().zip(&observed).map(|((item, _), one)| format!("{item} {}", one.count)).collect();
    let told = format!(
        "of {total} answers: {}; such shares are rejected at a confidence of {CONFIDENCE} (chi-squared {:.1}, at most {:.1})",
        each.join(", "),
        distance.statistic,
        distance.critical
    );
    Ok(Some(world.wrong(&expected, &told)))
}

/// What is given less often would be expected less than twenty times in the largest sample.
const LEAST_SHARE: f64 = 1.0 / 5000.0;

/// `20 %`, `1/3`, or a weight.
fn share(text: &str) -> Result<f64, String> {
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let read = match (text.split_once('/'), text.strip_suffix('%')) {
        (Some((one, of)), _) => number(one).zip(number(of)).map(|(one, of)| one / of),
        (None, Some(percent)) => number(percent),
        (None, None) => number(text),
    };
    let read = read.ok_or_else(|| format!("`{text}` is no share; expected `20 %`, `1/3` or a weight"))?;
    if read == 0.0 {
        return Err("a share is above 0; `… is never answered` says that there is none".to_owned());
    }
    if 0.0 < read && read <= 1e6 {
        Ok(read)
    } else {
        Err(format!("share `{text}` is out of range; expected above 0, and at most 1000000"))
    }
}

fn count_of_values(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let count = call.count(0)?;
    if count == 0 {
        return Err(call.refuse("no value is answered in many ways; expected `the response is NODATA`, or another"));
    }
    every(world, &format!("{count} values"), |answer| answer.data().len() == count)
}

fn differ(world: &World, call: &Call<'_>) -> Result<(), Explanation> {
    several(world, call)?;
    let seen = counted(world.answers()?);
    match seen.keys().next() {
        Some(only) if seen.len() == 1 => {
            let times = world.answers()?.len();
            Err(world.wrong("different answers", &format!("{times} times {}", world.zone()?.called(only))))
        }
        _ => Ok(()),
    }
}

fn same(world: &World, call: &Call<'_>) -> Result<(), Explanation> {
    several(world, call)?;
    let seen = counted(world.answers()?);
    let told: Vec<String> = seen
        .iter()
        .map(|(data, times)| Ok(format!("{times} times {}", world.zone()?.called(data))))
        .collect::<Result<_, _>>()?;
    if told.len() == 1 { Ok(()) } else { Err(world.wrong("one answer for all", &told.join(", "))) }
}

fn spread(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    match call.choice("spread", 0)?.choice {
        "differ" => differ(world, call),
        "are all the same" => same(world, call),
        _ => random_order(world, call),
    }
}

/// R53-14: each value comes first equally often, and each other one behind it. Of the first two places every pair is
/// counted, for a row that only goes around has each value in each place as well.
fn random_order(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let values: Vec<String> =
        world.answers()?.first().map(|first| first.data().iter().cloned().collect()).unwrap_or_default();
    if values.len() < 2 {
        return Err(call.refuse("an order needs two values at least"));
    }
    let pairs = values.len() * (values.len() - 1);
    let share = 1.0 / f64::from(u32::try_from(pairs).unwrap_or(u32::MAX));
    let size = sample_size(&[share]);
    world.ask_more(size)?;
    let whole: Data = values.iter().cloned().collect();
    let all = format!("{} in every answer", values.join(", "));
    if out_of_order(world, &whole, &all, share, Level::Suspicion)?.is_none() {
        return Ok(());
    }
    world.ask_more(size * FRESH)?;
    out_of_order(world, &whole, &all, share, Level::Judgement)?.map_or(Ok(()), Err)
}

fn out_of_order(
    world: &World,
    whole: &Data,
    all: &str,
    share: f64,
    level: Level,
) -> Result<Option<Explanation>, Explanation> {
    every(world, all, |answer| answer.data() == whole)?;
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for first in whole {
        counts.extend(
            whole.iter().filter(|second| *second != first).map(|second| ((first.as_str(), second.as_str()), 0)),
        );
    }
    for answer in world.answers()? {
        let [first, second, ..] = answer.records() else { continue };
        let (first, second) = (data_text(&first.data), data_text(&second.data));
        let pair = whole.get(&first).zip(whole.get(&second));
        if let Some(count) = pair.and_then(|(first, second)| counts.get_mut(&(first.as_str(), second.as_str()))) {
            *count += 1;
        }
    }
    let observed: Vec<Observed> = counts.values().map(|&count| Observed { count, share }).collect();
    if !distance(&observed, level).is_rejected() {
        return Ok(None);
    }
    let told: Vec<String> =
        counts.iter().map(|((first, second), count)| format!("{first} before {second} {count} times")).collect();
    let expected = format!("each value first and each other one second equally often, at a confidence of {CONFIDENCE}");
    Ok(Some(world.wrong(&expected, &told.join(", "))))
}

fn ttl(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let expected = call.duration(1)?;
    if expected.subsec_nanos() > 0 {
        return Err(call.refuse("a TTL has whole seconds"));
    }
    let expected = expected.as_secs();
    if call.choice("ttl", 0)?.choice == "TTL" {
        return every(world, &format!("a TTL of {expected} s"), |answer| {
            !answer.records().is_empty() && answer.records().iter().all(|record| u64::from(record.ttl) == expected)
        });
    }
    let negative = |answer: &Answer| {
        let says_so =
            matches!(answer.code(), ResponseCode::NoError | ResponseCode::NXDomain) && answer.is_authoritative();
        says_so && answer.records().is_empty() && negative_ttl(answer) == Some(expected)
    };
    every_response(world, &format!("a negative answer that may be kept for {expected} s"), negative)
}

/// RFC 2308: the TTL of the SOA record in the authority section, or what the record says, whichever is less.
fn negative_ttl(answer: &Answer) -> Option<u64> {
    answer.authority().iter().find_map(|record| match &record.data {
        RData::SOA(soa) => Some(u64::from(record.ttl.min(soa.minimum))),
        _ => None,
    })
}

fn last_resort(world: &mut World, _: &Call<'_>) -> Result<(), Explanation> {
    let decision = world.decision()?;
    let by_rule = matches!(&decision.outcome, Outcome::Answers(answers)
        if answers.iter().all(|one| one.last_resort));
    if by_rule {
        every(world, "an answer, for some record is always given", |answer| !answer.records().is_empty())
    } else {
        Err(world.wrong("the last resort, with nothing healthy", "a record that counts as healthy"))
    }
}
