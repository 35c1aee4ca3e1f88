//! Features written in tests, run against muster itself.

use std::path::Path;
use std::sync::Arc;

use crate::gherkin::{Catalogue, DrillRuns, LabChoice, Setting, Stop, SubjectChoice};

use super::{Features, Pace, SuiteOutcome, run};

/// The file that a test's feature pretends to stand in.
pub(crate) const FILE: &str = "features/route53/failover.feature";

pub(crate) fn read(text: &str) -> Result<Features, super::FeatureErrors> {
    Features::of_text(Path::new(FILE), text, &Catalogue::new().unwrap())
}

pub(crate) fn outcome_against(text: &str, subject: SubjectChoice, threads: usize) -> SuiteOutcome {
    outcome_in(LabChoice::Virtual, text, subject, threads)
}

pub(crate) fn outcome_in(lab: LabChoice, text: &str, subject: SubjectChoice, threads: usize) -> SuiteOutcome {
    let catalogue = Catalogue::new().unwrap();
    let features = read(text).unwrap();
    let drills = Arc::new(match lab {
        LabChoice::Virtual => DrillRuns::in_the_virtual_lab(),
        LabChoice::Embedded | LabChoice::Docker => DrillRuns::nowhere(),
    });
    let (texts, stop) = (Arc::new(features.texts), Stop::default());
    let setting = Setting { texts, subject, lab, zone: None, seed: 1, stop, drills };
    run(&features.parsed, &catalogue, &Arc::new(setting), Pace { threads, fail_fast: false }).unwrap()
}

pub(crate) fn outcome_of(text: &str) -> SuiteOutcome {
    outcome_against(text, SubjectChoice::Muster, 1)
}
