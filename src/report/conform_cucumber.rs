//! Cucumber JSON: what reporting tools of the Cucumber family read.

use serde_json::{Value, json};

use crate::conform::{FeatureOutcome, RuleOutcome, ScenarioOutcome, Status, StepOutcome, SuiteOutcome};

/// The whole document.
///
/// # Errors
/// When it cannot be written.
pub fn render(outcome: &SuiteOutcome) -> Result<String, serde_json::Error> {
    let features: Vec<Value> = outcome.features.iter().map(feature).collect();
    serde_json::to_string_pretty(&features).map(|json| json + "\n")
}

fn feature(feature: &FeatureOutcome) -> Value {
    let elements: Vec<Value> = feature
        .rules
        .iter()
        .flat_map(|rule| rule.scenarios.iter().map(move |scenario| element(feature, rule, scenario)))
        .collect();
    json!({
        "uri": feature.file.display().to_string(),
        "id": id(&feature.name),
        "keyword": "Feature",
        "name": feature.name,
        "line": 1,
        "description": "",
        "tags": tags(&feature.tags),
        "elements": elements,
    })
}

fn element(feature: &FeatureOutcome, rule: &RuleOutcome, scenario: &ScenarioOutcome) -> Value {
    let rule_name = rule.name.clone().unwrap_or_default();
    let steps: Vec<Value> = scenario.steps.iter().map(step).collect();
    json!({
        "id": format!("{};{};{};{}", id(&feature.name), id(&rule_name), id(&scenario.name), scenario.line),
        "type": "scenario",
        "keyword": "Scenario",
        "name": scenario.name,
        "line": scenario.line,
        "description": rule_name,
        "tags": tags(&scenario.tags),
        "steps": steps,
    })
}

fn step(step: &StepOutcome) -> Value {
    let status = match step.status {
        Status::Passed => "passed",
        Status::NotApplicable | Status::NotReached => "skipped",
        Status::Failed | Status::CannotRun | Status::LabBroke => "failed",
    };
    let mut result = json!({ "status": status, "duration": u64::try_from(step.took.as_nanos()).unwrap_or(u64::MAX) });
    if let Some(explanation) = &step.explanation {
        result["error_message"] = Value::from(explanation.as_str());
    }
    json!({ "keyword": step.keyword, "name": step.text, "line": step.line, "match": {}, "result": result })
}

fn tags(tags: &[String]) -> Vec<Value> {
    tags.iter().map(|tag| json!({ "name": format!("@{tag}"), "line": 1 })).collect()
}

fn id(name: &str) -> String {
    name.to_lowercase().split_whitespace().collect::<Vec<_>>().join("-")
}
