//! One leg: from its window, boundary after boundary.

use super::boundary::Boundary;
use super::subject::{Subject, last};
use super::{Interval, LegMeasured, clients, detection, servers};

pub(super) fn measure(subject: &Subject<'_>) -> LegMeasured {
    let turnings = detection::turnings(subject);
    let detection = detection::measure(subject, &turnings);
    let questions = servers::questions(subject, detection.moment);
    let moments: Vec<Option<Interval>> = questions.iter().map(|(_, measured)| measured.moment).collect();
    let authoritative = (!moments.is_empty()).then(|| {
        let moment = last(questions.iter().map(|(_, measured)| measured));
        let last_old = questions.iter().filter_map(|(_, measured)| measured.still_old).max();
        subject.measurement("", subject.predicted.authoritative, detection.moment, Boundary { moment, last_old })
    });
    let resolvers = servers::resolvers(subject, &questions);
    let (clients, totals) = clients::moves(subject, &resolvers);
    let losses = clients::losses(subject, &questions, &totals);
    LegMeasured {
        window: subject.window,
        turnings,
        detection,
        questions: questions.into_iter().map(|(_, measured)| measured).collect(),
        authoritative,
        resolvers,
        clients,
        totals,
        losses,
    }
}
