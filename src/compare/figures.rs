//! Figures, pair by pair, and when two of them agree.
//!
//! Two figures agree when the ranges that were measured meet, or when both keep to the same prediction: where in it a run
//! ends up is chance, by design. A prediction that lets anything happen is none: what does not meet there is not told. One
//! that was seen on one side only differs, unless the leg is predicted not to come to rest: then whether it is seen is
//! chance as well.

use std::fmt;
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::plan::Bounds;
use crate::plan::expectation::Leg;
use crate::timeline::measure::{Fit, Interval, LegMeasured, Measurement, Span, Turning};

use super::outcome::Agreement;
use super::run::Run;

/// A stage that is compared, in the order in which stages are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// One status turns.
    Signal,
    /// t1: the last status turns.
    Detection,
    /// t2, of the last question.
    Authoritative,
    /// t2 of one question.
    Question,
    /// t3 of one resolver.
    Resolver,
    /// t4 of one client.
    Client,
    /// t4 of one client, from t0 on.
    Total,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Signal => "·",
            Self::Detection => "detection",
            Self::Authoritative => "authoritative, last answer",
            Self::Question => "authoritative:",
            Self::Resolver => "resolver",
            Self::Client => "client",
            Self::Total => "total",
        })
    }
}

/// One figure of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Figure {
    /// At best and at worst.
    pub predicted: Bounds,
    /// At least and at most; null: not seen.
    pub measured: Option<Span>,
    /// Half the width of what was measured.
    #[serde(serialize_with = "half_width")]
    pub uncertainty: Option<Duration>,
    /// Beside the prediction.
    pub fit: Fit,
}

/// The same figure of two runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FigurePair {
    /// Of the failover, or of the failback.
    pub during: Leg,
    /// Which stage.
    pub stage: Stage,
    /// Whose: a signal, a place, a resolver, a client; empty for what there is only once.
    pub of: String,
    /// In the one run; null when that has no such figure.
    pub before: Option<Figure>,
    /// In the other.
    pub after: Option<Figure>,
    /// Whether what was measured meets.
    pub overlap: bool,
    /// Whether both agree.
    pub agreement: Agreement,
}

#[expect(clippy::ref_option, reason = "serde gives the field by reference")]
fn half_width<S: Serializer>(width: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    crate::clock::optional_seconds::serialize(width, serializer)
}

/// Every figure of either run.
pub(super) fn pairs(before: &Run, after: &Run) -> Vec<FigurePair> {
    let of_leg = |leg| {
        let unsettled = before.is_unsettled(leg) && after.is_unsettled(leg);
        let (before, after) = (figures(before, leg), figures(after, leg));
        let is = |named: &Named, other: &Named| (named.0, &named.1) == (other.0, &other.1);
        let added = after.iter().filter(|named| !before.iter().any(|known| is(known, named)));
        let all: Vec<&Named> = before.iter().chain(added).collect();
        let pair = |named: &&Named| {
            let find = |all: &[Named]| all.iter().find(|known| is(known, named)).map(|(.., figure)| *figure);
            let (before, after) = (find(&before), find(&after));
            let mut pair = pair(leg, named, before, after);
            if unsettled && pair.agreement == Agreement::Differ && is_seen(before) != is_seen(after) {
                pair.agreement = Agreement::NotTold;
            }
            pair
        };
        all.iter().map(pair).collect::<Vec<_>>()
    };
    [Leg::Failover, Leg::Failback].into_iter().flat_map(of_leg).collect()
}

fn is_seen(figure: Option<Figure>) -> bool {
    figure.is_some_and(|figure| figure.measured.is_some())
}

type Named = (Stage, String, Figure);

fn figures(run: &Run, leg: Leg) -> Vec<Named> {
    let (late, asked, leg) = (run.late(), run.changing_questions(leg), run.measured.leg(leg));
    let named = |stage| move |measured: &Measurement| (stage, measured.of.clone(), Figure::of(measured));
    let signals =
        leg.turnings.iter().map(|turning| (Stage::Signal, turning.signal.to_string(), turned(leg, turning, late)));
    let questions = asked.into_iter().zip(&leg.questions).map(|(of, row)| (Stage::Question, of, Figure::of(row)));
    signals
        .chain([named(Stage::Detection)(&leg.detection)])
        .chain(leg.authoritative.iter().map(named(Stage::Authoritative)))
        .chain(questions)
        .chain(leg.resolvers.iter().map(named(Stage::Resolver)))
        .chain(leg.clients.iter().map(named(Stage::Client)))
        .chain(leg.totals.iter().map(named(Stage::Total)))
        .collect()
}

/// A status turns at a moment that is known; only t0 is uncertain, and how late everybody is. Where no turn was predicted,
/// the bounds say nothing.
fn turned(leg: &LegMeasured, turning: &Turning, late: Duration) -> Figure {
    let predicted = turning.predicted.unwrap_or_default();
    let start = leg.window.start;
    let span = start.map(|start| Span::between(start, Interval::exactly(turning.at), late));
    let inside =
        span.is_some_and(|span| span.most >= predicted.best && predicted.worst.is_none_or(|worst| span.least <= worst));
    Figure::new(predicted, span, if inside { Fit::Inside } else { Fit::Outside })
}

impl Figure {
    pub(super) fn new(predicted: Bounds, measured: Option<Span>, fit: Fit) -> Self {
        Self { predicted, measured, uncertainty: measured.map(|span| span.uncertainty()), fit }
    }

    fn of(measured: &Measurement) -> Self {
        Self::new(measured.predicted, measured.span, measured.fit)
    }
}

fn pair(leg: Leg, (stage, of, _): &Named, before: Option<Figure>, after: Option<Figure>) -> FigurePair {
    let measured = |figure: Option<Figure>| figure.and_then(|figure| figure.measured);
    let overlap = measured(before).zip(measured(after)).is_some_and(|(a, b)| a.least <= b.most && b.least <= a.most);
    let agreement = agreement(before, after, overlap);
    FigurePair { during: leg, stage: *stage, of: of.clone(), before, after, overlap, agreement }
}

pub(super) fn agreement(before: Option<Figure>, after: Option<Figure>, overlap: bool) -> Agreement {
    let (Some(before), Some(after)) = (before, after) else { return Agreement::Differ };
    if [before.fit, after.fit].contains(&Fit::NotApplicable) {
        return Agreement::NotTold;
    }
    match (before.measured, after.measured) {
        (None, None) => Agreement::Agree,
        (Some(_), Some(_)) => {
            let nothing = [before.predicted, after.predicted] == [Bounds::default(); 2];
            let keeps = before.predicted == after.predicted && before.fit == Fit::Inside && after.fit == Fit::Inside;
            if nothing && !overlap { Agreement::NotTold } else { Agreement::of(overlap || keeps) }
        }
        _ => Agreement::Differ,
    }
}
