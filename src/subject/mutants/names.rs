//! Names and types that are mistaken for others (R53-178 to R53-186).

use hickory_proto::rr::{Name, RecordType};

use crate::decide::{Content, Decision, Outcome};
use crate::subject::Case;

use super::Mutant;
use super::edited::{answers, with_outcome};
use super::seams::Deciding;

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "nxdomain-where-nodata",
        what: "says that a name does not exist when it has no record of the type",
        rules: &["R53-184"],
        deviation: &Deciding(no_such_name),
    },
    Mutant {
        name: "nodata-where-nxdomain",
        what: "answers no data for a name that does not exist",
        rules: &["R53-184"],
        deviation: &Deciding(no_data),
    },
    Mutant {
        name: "cname-answers-only-cname",
        what: "answers a CNAME record only to a query for CNAME",
        rules: &["R53-179"],
        deviation: &Deciding(cname_for_cname_only),
    },
    Mutant {
        name: "cname-chased",
        what: "answers with the records of a CNAME's target instead of the CNAME",
        rules: &["R53-179"],
        deviation: &Deciding(chased),
    },
];

fn no_such_name(case: &Case<'_>) -> Decision {
    let decision = case.decide();
    // Where a group decided, the name has the type.
    let settled = decision.outcome == Outcome::NoData && decision.path.is_empty();
    if settled { with_outcome(decision, Outcome::NxDomain) } else { decision }
}

fn no_data(case: &Case<'_>) -> Decision {
    let decision = case.decide();
    if decision.outcome == Outcome::NxDomain { with_outcome(decision, Outcome::NoData) } else { decision }
}

fn is_cname(decision: &Decision) -> bool {
    answers(decision).iter().any(|one| one.answer.rtype == RecordType::CNAME)
}

fn cname_for_cname_only(case: &Case<'_>) -> Decision {
    let decision = case.decide();
    let asked = case.question.rtype == RecordType::CNAME;
    if is_cname(&decision) && !asked { with_outcome(decision, Outcome::NoData) } else { decision }
}

fn chased(case: &Case<'_>) -> Decision {
    let decision = case.decide();
    if !is_cname(&decision) || case.question.rtype == RecordType::CNAME {
        return decision;
    }
    let target = answers(&decision).iter().find_map(|one| match &one.answer.content {
        Content::Values { values, .. } => Name::from_ascii(values.first()?).ok(),
        Content::Resource(_) => None,
    });
    let Some(mut target) = target.filter(|target| case.zone.apex.zone_of(target)) else { return decision };
    target.set_fqdn(true);
    case.decide_for_name(target, case.question.rtype)
}

#[cfg(test)]
mod tests {
    use super::super::scene::{Scene, leaf, of_type, values};
    use super::*;
    use crate::zone::Policy;

    fn names() -> Scene {
        let link = values("link", "", Policy::Simple, &["www.example.com."]);
        Scene::of([leaf("www", "", Policy::Simple), of_type(RecordType::CNAME, link)])
    }

    #[test]
    fn r53_184_a_name_without_the_type_does_not_exist() {
        names().asking("www", RecordType::AAAA).differs("nxdomain-where-nodata", "no such name");
        names().agrees("nxdomain-where-nodata");
        names().asking("none", RecordType::A).agrees("nxdomain-where-nodata");
    }

    #[test]
    fn r53_184_a_name_that_does_not_exist_has_no_data() {
        names().asking("none", RecordType::A).differs("nodata-where-nxdomain", "no data");
        names().asking("www", RecordType::AAAA).agrees("nodata-where-nxdomain");
    }

    #[test]
    fn r53_179_a_cname_does_not_answer_other_types() {
        names().asking("link", RecordType::A).differs("cname-answers-only-cname", "no data");
        names().asking("link", RecordType::CNAME).agrees("cname-answers-only-cname");
    }

    #[test]
    fn r53_179_a_cname_is_followed_by_the_server() {
        names().asking("link", RecordType::A).differs("cname-chased", "www.example.com.");
        names().asking("link", RecordType::CNAME).agrees("cname-chased");
    }
}
