//! One record set, whatever stands beside it.

use hickory_proto::rr::RecordType;

use super::super::{
    Alias, AliasProblem, FailoverRole, Policy, RecordData, RecordProblem, RecordSet, ZoneError, type_text,
};

/// R53-173.
const LONGEST_TTL: u32 = i32::MAX.unsigned_abs();
/// R53-234.
const MOST_VALUES: usize = 400;

pub(super) fn check(record: &RecordSet, problems: &mut Vec<ZoneError>) {
    let mut refuse = |problem| problems.push(ZoneError::Record { at: record.at.clone(), problem });
    match (&record.set_identifier, &record.policy) {
        (Some(found), Policy::Simple) => {
            refuse(RecordProblem::SetIdentifierWithoutPolicy { found: found.clone() });
        }
        (None, Policy::Simple) => {}
        (None, policy) => refuse(RecordProblem::SetIdentifierMissing { policy: policy.name() }),
        (Some(id), _) => {
            let length = id.chars().count();
            if !(1..=128).contains(&length) {
                refuse(RecordProblem::SetIdentifierLength { length });
            }
        }
    }
    if record.policy == Policy::Simple && record.health_check.is_some() {
        refuse(RecordProblem::HealthCheckOnSimple);
    }
    if record.policy == Policy::Failover(FailoverRole::Primary) && record.health_check.is_none() {
        match &record.data {
            RecordData::Values { .. } => refuse(RecordProblem::PrimaryWithoutHealthCheck),
            RecordData::Alias(Alias { evaluate_target_health: false, .. }) => {
                refuse(RecordProblem::PrimaryAliasWithoutHealth);
            }
            RecordData::Alias(_) => {}
        }
    }
    if let RecordData::Values { ttl, values } = &record.data {
        if *ttl > LONGEST_TTL {
            refuse(RecordProblem::TtlRange { found: ttl.to_string() });
        }
        match values.len() {
            0 => refuse(RecordProblem::NoValues),
            1 => {}
            count if record.rtype == RecordType::CNAME => refuse(RecordProblem::SeveralCnames { count }),
            count if count > MOST_VALUES => refuse(RecordProblem::TooManyValues { count }),
            _ => {}
        }
    }
    if let Some(rule) = refused_policy(record) {
        let (rtype, policy) = (type_text(record.rtype), record.policy.name());
        refuse(RecordProblem::PolicyOfType { rtype, policy, rule });
    }
    if let RecordData::Alias(_) = record.data {
        let problem = if record.policy == Policy::Multivalue {
            AliasProblem::Multivalue
        } else if matches!(record.rtype, RecordType::NS | RecordType::SOA) {
            AliasProblem::OfType { rtype: type_text(record.rtype) }
        } else {
            return;
        };
        problems.push(ZoneError::Alias { at: record.at.clone(), problem });
    }
}

fn refused_policy(record: &RecordSet) -> Option<&'static str> {
    match (record.rtype, &record.policy) {
        (_, Policy::Simple) => None,
        (RecordType::NS | RecordType::CNAME, Policy::Multivalue) => Some("R53-79"),
        (RecordType::NS | RecordType::SOA, _) => Some("R53-243"),
        _ => None,
    }
}
