//! Mutants: subjects that are broken on purpose, one small deviation each. The conformance suite must fail against every
//! one of them.
//!
//! A mutant breaks what its rules say, and nothing else that a scenario could see. One file per theme; in each file the
//! list first, then the deviations in its order.

mod alarms;
mod aliases;
mod balancers;
mod calculated;
mod checkers;
mod cidr_blocks;
mod distances;
mod edited;
mod failover;
mod geolocation;
mod health_flow;
mod last_resort;
mod multivalue;
mod names;
mod probers;
mod probes;
mod refusals;
#[cfg(test)]
mod scene;
mod seams;
mod statuses;
mod weighted;
mod wire;

use std::sync::LazyLock;

use crate::source::nearest;

use super::deviation::Deviation;

/// A subject that is broken on purpose.
#[derive(Clone, Copy, Debug)]
pub struct Mutant {
    /// Kebab-case.
    pub name: &'static str,
    /// What it does, for people: a sentence without its subject.
    pub what: &'static str,
    /// The rules that it breaks, as their scenarios are tagged: by their numbers in the rulebook, where they have one.
    pub rules: &'static [&'static str],
    /// The difference from the reference.
    pub deviation: &'static dyn Deviation,
}

/// There is no such mutant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("mutant `{found}` does not exist; {}", told(nearest))]
pub struct UnknownMutant {
    /// As it was written.
    pub found: String,
    /// The nearest that exist, the nearest first; or those that have a word in common with it.
    pub nearest: Vec<&'static str>,
}

fn told(near: &[&str]) -> String {
    if let [first, others @ ..] = near {
        let others: Vec<String> = others.iter().map(|name| format!(", or `{name}`")).collect();
        return format!("did you mean `{first}`{}?", others.concat());
    }
    let names: Vec<&str> = mutants().iter().map(|mutant| mutant.name).collect();
    format!("expected one of {}", names.join(", "))
}

/// Every mutant, theme by theme.
#[must_use]
pub fn mutants() -> &'static [Mutant] {
    static ALL: LazyLock<Vec<Mutant>> = LazyLock::new(|| {
        [
            failover::MUTANTS,
            last_resort::MUTANTS,
            weighted::MUTANTS,
            aliases::MUTANTS,
            health_flow::MUTANTS,
            geolocation::MUTANTS,
            distances::MUTANTS,
            cidr_blocks::MUTANTS,
            multivalue::MUTANTS,
            names::MUTANTS,
            wire::MUTANTS,
            statuses::MUTANTS,
            calculated::MUTANTS,
            checkers::MUTANTS,
            probes::MUTANTS,
            alarms::MUTANTS,
            balancers::MUTANTS,
            probers::MUTANTS,
            refusals::MUTANTS,
        ]
        .concat()
    });
    &ALL
}

/// The mutant of this name.
///
/// # Errors
/// When there is none; with the nearest names.
pub fn find(name: &str) -> Result<&'static Mutant, UnknownMutant> {
    mutants()
        .iter()
        .find(|mutant| mutant.name == name)
        .ok_or_else(|| UnknownMutant { found: name.to_owned(), nearest: near(name) })
}

/// The nearest name, and up to two more that have a word of some length in common with it.
fn near(name: &str) -> Vec<&'static str> {
    let names = || mutants().iter().map(|mutant| mutant.name);
    let words: Vec<&str> = name.split('-').filter(|word| word.len() > 3).collect();
    let shared = |known: &&str| known.split('-').filter(|word| words.contains(word)).count();
    let mut alike: Vec<&str> = names().filter(|known| shared(known) > 0).collect();
    alike.sort_by_key(|known| std::cmp::Reverse(shared(known)));
    let nearest = nearest(name, names());
    alike.retain(|known| Some(*known) != nearest);
    alike.truncate(2);
    nearest.into_iter().chain(alike).collect()
}

#[cfg(test)]
mod tests;
