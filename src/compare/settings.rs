//! Whether two plans are of the same drill with the same settings.

use serde_json::Value;

use crate::plan::Plan;

/// What a plan holds besides its settings: what a run drew or worked out for itself, and what is only for people.
const NO_SETTINGS: [&str; 9] =
    ["title", "hazard", "estimate", "sources", "seed", "speed", "wire", "schedule", "prediction"];

/// Every setting that is not the same in both, with its path and its values; none when they are the same.
pub(super) fn that_differ(before: &Plan, after: &Plan) -> Vec<String> {
    let mut differing = Vec::new();
    note(&mut differing, "", Some(&settings(before)), Some(&settings(after)));
    differing
}

fn settings(plan: &Plan) -> Value {
    // A plan is written into every journal, so it can be told in JSON.
    let mut value = serde_json::to_value(plan).unwrap_or_default();
    if let Value::Object(all) = &mut value {
        all.retain(|key, _| !NO_SETTINGS.contains(&key.as_str()));
        all.insert("hold".to_owned(), plan.schedule.hold.as_secs_f64().into());
        for expectation in all.get_mut("expectations").and_then(Value::as_array_mut).into_iter().flatten() {
            // Where it stands in the file, and in which words.
            if let Value::Object(expectation) = expectation {
                expectation.retain(|key, _| !["at", "text"].contains(&key.as_str()));
            }
        }
    }
    value
}

fn note(differing: &mut Vec<String>, path: &str, before: Option<&Value>, after: Option<&Value>) {
    let within = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match (before, after) {
        _ if before == after => {}
        (Some(Value::Object(one)), Some(Value::Object(other))) => {
            let added = other.keys().filter(|key| !one.contains_key(*key));
            for key in one.keys().chain(added) {
                note(differing, &within(key), one.get(key), other.get(key));
            }
        }
        (Some(Value::Array(one)), Some(Value::Array(other))) if one.len() == other.len() => {
            for (index, (one, other)) in one.iter().zip(other).enumerate() {
                note(differing, &within(&(index + 1).to_string()), Some(one), Some(other));
            }
        }
        _ => differing.push(format!("{path}: {} → {}", told(before), told(after))),
    }
}

fn told(value: Option<&Value>) -> String {
    match value {
        None => "nothing".to_owned(),
        Some(Value::Array(items)) => format!("{} items", items.len()),
        Some(Value::Object(_)) => "other keys".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}
