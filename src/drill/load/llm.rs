//! Cells that serve a language model: engine, gateway, prober.

use std::time::Duration;

use crate::health::{ProberSettings, ProberSettingsError};
use crate::service::EngineSettings;

use super::super::error::Problem;
use super::super::loaded::{EngineMake, LlmMake};
use super::super::schema::{EngineFile, GatewayFile, LlmFile, OrNone, ProberFile};
use super::reader::Reader;
use crate::plan::GatewaySettings;

const MODEL: &str = "chat-model";
/// Tokens in a second: at fewer the 16 of a usual request take longer than the longest budget of a prober.
const SLOWEST: f64 = 0.1;
/// Lab time. What a request takes on its way through the lab must be small beside it: at a speed of 40 this is 2.5 ms.
const SHORTEST_WAIT: Duration = Duration::from_millis(100);

pub(super) fn make(reader: &mut Reader<'_>, path: &str, written: &LlmFile) -> LlmMake {
    let engine = engine(reader, &format!("{path}.engine"), &written.engine);
    let model = match &engine {
        EngineMake::Own(settings) => &settings.model,
        EngineMake::Real { model, .. } => model,
    };
    let prober = match &written.prober {
        OrNone::Settings(written) => Some(prober(reader, &format!("{path}.prober"), written, model)),
        OrNone::None => None,
    };
    LlmMake { gateway: gateway(reader, &format!("{path}.gateway"), &written.gateway), engine, prober }
}

fn engine(reader: &mut Reader<'_>, path: &str, written: &EngineFile) -> EngineMake {
    if written.model.as_ref().is_some_and(|model| model.trim().is_empty()) {
        reader.complain(&format!("{path}.model"), Problem::Empty { what: "model" });
    }
    match &written.base_url {
        Some(base_url) => real_engine(reader, path, written, base_url),
        None => EngineMake::Own(own_engine(reader, path, written)),
    }
}

fn own_engine(reader: &mut Reader<'_>, path: &str, written: &EngineFile) -> EngineSettings {
    let of_another = [("api-key-from", written.api_key_from.is_some())];
    reader.without(path, "muster's own engine, which asks for no key", &of_another);
    let tokens_per_second = written.tokens_per_second.unwrap_or(32.0);
    if !(SLOWEST..=10_000.0).contains(&tokens_per_second) {
        let expected = format!("{SLOWEST} to 10000: a slower engine cannot be told from one that hangs");
        let key = "tokens-per-second";
        let problem = Problem::OutOfRange { key, found: tokens_per_second.to_string(), expected };
        reader.complain(&format!("{path}.{key}"), problem);
    }
    let loads_for = written.loads_for.as_ref();
    EngineSettings {
        model: written.model.clone().unwrap_or_else(|| MODEL.to_owned()),
        slots: reader.number_or(path, "slots", written.slots, 8, (1, 1024)),
        queue: reader.number_or(path, "queue", written.queue, 64, (0, 100_000)),
        tokens_per_second,
        loads_for: loads_for
            .and_then(|written| reader.duration_or_zero(path, "loads-for", written))
            .unwrap_or_default(),
    }
}

/// What muster cannot set of an engine that runs already.
fn real_engine(reader: &mut Reader<'_>, path: &str, written: &EngineFile, base_url: &str) -> EngineMake {
    let own = [
        ("slots", written.slots.is_some()),
        ("queue", written.queue.is_some()),
        ("tokens-per-second", written.tokens_per_second.is_some()),
        ("loads-for", written.loads_for.is_some()),
    ];
    reader.without(path, "an engine with a `base-url`, which is what it is", &own);
    let host = base_url.strip_prefix("https://").or_else(|| base_url.strip_prefix("http://"));
    let usable = host.is_some_and(|host| {
        !host.is_empty() && !host.starts_with('/') && host.bytes().all(|byte| byte.is_ascii_graphic())
    });
    if !usable || base_url.ends_with('/') || base_url.ends_with("/v1") {
        let problem = "expected `http://` or `https://`, a host and no `/v1` behind it".to_owned();
        let text = base_url.to_owned();
        reader.complain(&format!("{path}.base-url"), Problem::NotAName { what: "a base URL", text, problem });
    }
    if written.model.is_none() {
        let what = "an engine with a `base-url`";
        reader.complain(path, Problem::Missing { what, key: "model", example: MODEL });
    }
    if let Some(variable) = written.api_key_from.as_ref().filter(|text| !is_variable(text)) {
        let problem = "expected letters, digits and `_`; the key itself must not stand in a drill".to_owned();
        let what = "the name of an environment variable";
        // What stands here may be the key: it is not repeated.
        let text = variable.chars().take(2).chain("...".chars()).collect();
        reader.complain(&format!("{path}.api-key-from"), Problem::NotAName { what, text, problem });
    }
    EngineMake::Real {
        base_url: base_url.to_owned(),
        model: written.model.clone().unwrap_or_default(),
        api_key_from: written.api_key_from.clone(),
    }
}

fn is_variable(text: &str) -> bool {
    let begins_well = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    begins_well && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn gateway(reader: &mut Reader<'_>, path: &str, written: &GatewayFile) -> GatewaySettings {
    let (key, written_wait) = ("first-byte-within", written.first_byte_within.as_ref());
    let first_byte_within = reader.duration_or(path, key, written_wait, Duration::from_secs(3));
    let why = "within less no engine has begun, and every answer would be 504";
    reader.at_least_for(path, key, first_byte_within, SHORTEST_WAIT, why);
    GatewaySettings { first_byte_within, sheds_above: written.sheds_above }
}

fn prober(reader: &mut Reader<'_>, path: &str, written: &ProberFile, model: &str) -> ProberSettings {
    let mut duration = |key, written: &Option<_>, default| reader.duration_or(path, key, written.as_ref(), default);
    let default = ProberSettings::default();
    let settings = ProberSettings {
        pause: duration("pause", &written.pause, default.pause),
        budget: duration("budget", &written.budget, default.budget),
        max_age: duration("max-age", &written.max_age, default.max_age),
        fails_to_drain: written.fails_to_drain.unwrap_or(default.fails_to_drain),
        good_to_recover: written.good_to_recover.unwrap_or(default.good_to_recover),
        prompt: written.prompt.clone().unwrap_or(default.prompt),
        expects: written.expects.clone().unwrap_or(default.expects),
        model: written.model.clone().unwrap_or_else(|| model.to_owned()),
        max_tokens: written.max_tokens.unwrap_or(default.max_tokens),
    };
    // A drill must come to its end: what no lab could wait for is a typing error.
    let (second, most) = (Duration::from_secs(1), Duration::from_mins(5));
    reader.within(path, "pause", settings.pause, second, most);
    reader.within(path, "budget", settings.budget, SHORTEST_WAIT, most);
    for (key, found, most) in [
        ("fails-to-drain", settings.fails_to_drain, 100),
        ("good-to-recover", settings.good_to_recover, 1000),
        ("max-tokens", settings.max_tokens, 4096),
    ] {
        reader.number_or(path, key, Some(found), found, (0, most));
    }
    if let Err(refused) = settings.validate() {
        use ProberSettingsError as Refused;
        let key = match refused {
            Refused::BudgetBeyondPause { .. } | Refused::NoBudget => "budget",
            Refused::NoMaxAge | Refused::StaleBetweenProbes { .. } => "max-age",
            Refused::Count(key) | Refused::Empty(key) => key,
        };
        reader.complain(&format!("{path}.{key}"), Problem::Refused(refused.to_string()));
    }
    settings
}
