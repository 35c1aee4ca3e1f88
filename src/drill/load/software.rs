//! What resolvers and clients are made of, by which program or image, and what these cannot do.

use std::time::Duration;

use super::super::error::{Noun, Problem};
use super::super::loaded::Client;
use super::super::schema::{ClientFile, ResolverFile};
use super::reader::Reader;
use crate::mistakes::quoted;
use crate::plan::{
    Asks, ClientImage, ClientProfile, ClientRuns, ClientSoftware, ProfileKind, ResolverKind, ResolverSoftware,
};

/// What the lab itself sets in the environment of a client begins with this.
const OWN_SETTINGS: &str = "MUSTER_";
/// No reference of an image is longer.
const LONGEST_REFERENCE: usize = 255;

/// Which program a resolver is, and how long that may give what has expired.
pub(super) fn resolver(
    reader: &mut Reader<'_>,
    path: &str,
    written: &ResolverFile,
    kind: ResolverKind,
) -> (Option<ResolverSoftware>, Option<Duration>) {
    let words = ResolverSoftware::ALL.map(|software| (software.name(), software));
    let word = written.software.as_deref();
    let software = word.and_then(|word| reader.word(&format!("{path}.software"), Noun::ResolverSoftware, word, &words));
    let stale = written.serve_stale.as_ref();
    let stale = stale.and_then(|stale| reader.duration(&format!("{path}.serve-stale"), "serve-stale", stale));
    if let Some(stale) = stale {
        reader.at_least(path, "serve-stale", stale, Duration::from_secs(1));
    }
    if written.serve_stale.is_some() && word.is_none() {
        let why = "muster's own resolver gives no answer that has expired".to_owned();
        let instead = "name a program that does, for example `software: unbound`, or remove `serve-stale`";
        reader.complain_of_key(&format!("{path}.serve-stale"), Problem::Impossible { why, instead });
    }
    let Some(software) = software else { return (None, stale) };
    if written.client_subnet {
        let why = format!("the image of {software} does not tell its clients' subnets");
        let instead = "remove `client-subnet`, or remove `software`: muster's own resolver tells them";
        reader.complain_of_key(&format!("{path}.client-subnet"), Problem::Impossible { why, instead });
    }
    if let (ResolverKind::TtlFloor(floor), Some(highest)) = (kind, software.highest_floor()) {
        reader.at_most_for(path, "ttl-floor", floor, highest, &format!("{software} takes no higher one"));
    }
    (Some(software), stale)
}

/// What a client is made of.
pub(super) fn client(reader: &mut Reader<'_>, path: &str, written: &ClientFile) -> ClientRuns {
    if written.software.is_some() && written.image.is_some() {
        reader.complain(path, Problem::NotExactlyOne { keys: &["software", "image"], found: 2 });
    }
    if let Some(image) = &written.image {
        return ClientRuns::Image(own_image(reader, path, image, written));
    }
    let keys = [("command", written.command.is_some()), ("environment", written.environment.is_some())];
    reader.without(path, "a client without an `image`", &keys);
    let words = ClientSoftware::ALL.map(|software| (software.name(), software));
    let word = written.software.as_deref();
    let software = word.and_then(|word| reader.word(&format!("{path}.software"), Noun::ClientSoftware, word, &words));
    software.map_or(ClientRuns::Muster, ClientRuns::Known)
}

fn own_image(reader: &mut Reader<'_>, path: &str, image: &str, written: &ClientFile) -> ClientImage {
    let not = |what: &'static str, text: &str, problem: &str| {
        let (text, problem) = (text.escape_debug().to_string(), problem.to_owned());
        Problem::NotAName { what, text, problem }
    };
    let fits = |character: char| character.is_ascii_alphanumeric() || "._-/:@[]".contains(character);
    let begins = image.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '[');
    if !begins || !image.chars().all(fits) || image.len() > LONGEST_REFERENCE {
        let problem = "expected a reference, for example `registry.example.com/app:1`";
        reader.complain(&format!("{path}.image"), not("an image", image, problem));
    }
    for (index, word) in written.command.iter().flatten().enumerate().filter(|(_, word)| word.contains('\0')) {
        reader.complain(&format!("{path}.command.{index}"), not("a word of a command", word, "it holds a NUL"));
    }
    for (name, value) in written.environment.iter().flatten() {
        let at = format!("{path}.environment.{name}");
        let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !plain || name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
            let problem = "expected letters, digits and `_`, and no digit first";
            reader.complain_of_key(&at, not("the name of a variable", name, problem));
        } else if name.starts_with(OWN_SETTINGS) {
            let problem = "what begins with `MUSTER_` is set by the lab";
            reader.complain_of_key(&at, not("the name of a variable", name, problem));
        }
        if value.contains('\0') {
            reader.complain(&at, not("the value of a variable", value, "it holds a NUL"));
        }
    }
    ClientImage {
        image: image.to_owned(),
        command: written.command.clone().unwrap_or_default(),
        environment: written.environment.clone().unwrap_or_default(),
    }
}

/// The profile of a client that has written none: what its program does by itself, or what it does with the one setting
/// of a profile that is written.
pub(super) fn own_profile(software: ClientSoftware, written: &ClientFile) -> ProfileKind {
    match software {
        ClientSoftware::Python if written.max_age.is_some() => ProfileKind::AgeingPool,
        ClientSoftware::Nginx if written.cache.is_some() => ProfileKind::RuntimeCache,
        // Every program can be something.
        _ => software.can_be().first().copied().unwrap_or(ProfileKind::FreshLookup),
    }
}

/// What the program of a client cannot do of that which is written of it.
pub(super) fn limits(reader: &mut Reader<'_>, path: &str, written: &ClientFile, client: &Client) {
    if !client.runs.is_muster() {
        reader.without(path, "a client of which only arrivals are seen", &[("slow", written.slow.is_some())]);
    }
    let ClientRuns::Known(software) = client.runs else { return };
    let mut refuse = |key: &str, why: String, instead: &'static str| {
        reader.complain(&format!("{path}.{key}"), Problem::Impossible { why, instead });
    };
    let profile = ProfileKind::from(client.profile);
    // A profile that is none has been told already.
    if written.profile.as_deref() == Some(profile.name()) && !software.can_be().contains(&profile) {
        let names: Vec<&str> = software.can_be().iter().map(|profile| profile.name()).collect();
        let why = format!("the image of {software} cannot be a `{}`; it can be {}", profile.name(), quoted(&names));
        refuse("profile", why, "write what it can be, remove `profile` for the first of that, or name another program");
    }
    if client.asks != Asks::Page {
        let why = format!("the image of {software} asks for pages alone");
        refuse("asks", why, "remove `asks`, or remove `software`: muster's own client asks for it");
    }
    if client.workers > 1 {
        let why = format!("the image of {software} has one request under way at a time");
        refuse("workers", why, "remove `workers`, or write a client for each of them");
    }
    let pools = matches!(client.profile, ClientProfile::KeepAlivePool | ClientProfile::AgeingPool(_));
    if let Some(idles_for) = software.idles_for().filter(|idle| pools && client.every >= *idle) {
        let (every, idle) = (humantime::format_duration(client.every), humantime::format_duration(idles_for));
        let why = format!(
            "{software} lets go of a connection that nobody uses for {idle}, and this client asks every {every}"
        );
        refuse("every", why, "let it ask more often, or write another `profile`");
    }
}
