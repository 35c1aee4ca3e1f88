//! Health evidence as sans-IO state machines: `(now, input) -> outputs, next wake-up`.
//!
//! The virtual lab turns the crank in simulated time, the network roles turn the same crank with sockets and a clock.
//! Nothing here probes anything, and nothing here knows the drill.

mod addressee;
mod alarm;
mod alarm_check;
mod alarm_evaluation;
mod alarm_points;
mod alarm_run;
mod board;
mod cached_verdict;
mod cadence;
mod calculated_check;
mod checker;
mod definition;
mod endpoint_check;
mod evaluation_clock;
mod fleet;
mod fleet_rules;
mod load_balancer;
mod metric_stream;
mod node_check;
mod probeable;
mod prober;
mod resource_evidence;
mod routing_control;
mod searched_body;
mod status_settings;
mod streak;
mod target_group;
mod target_group_health;

pub use alarm::{Alarm, AlarmSettings, AlarmSettingsError, Comparison, InsufficientData, MissingData, Statistic};
pub use alarm_check::{AlarmCheck, AlarmEvaluation};
pub use alarm_evaluation::{AlarmState, evaluate_alarm};
pub use alarm_points::AlarmPoints;
pub use alarm_run::AlarmRun;
pub use board::{EvidenceBoard, StatusChange};
pub use cached_verdict::{CachedStatus, CachedVerdict, VerdictTurn};
pub use cadence::Cadence;
pub use calculated_check::{CHILDREN_LIMIT, CalculatedCheck, CalculatedCheckError};
pub use checker::Checker;
pub use definition::{
    DefinedEndpoint, DefinedKind, DefinitionError, EndpointAddress, HealthCheckDefinition, USUAL_FAILURE_THRESHOLD,
    USUAL_INTERVAL,
};
pub use endpoint_check::{
    CertificateProblem, CheckProtocol, CheckSettingsError, EndpointCheck, HTTP_BODY_LIMIT, HTTP_CONNECT_LIMIT,
    HTTP_HEADERS_LIMIT, HTTP_STATUS_LIMIT, ProbeBody, ProbeFailure, ProbeReport, ProbeResponse, TCP_CONNECT_LIMIT, Tls,
    Verdict,
};
pub use fleet::{CHECKER_REGIONS, CHECKERS_PER_REGION, CheckerId, Fleet, FleetChange};
pub use fleet_rules::{FleetRules, HEALTHY_ABOVE_PERCENT};
pub use load_balancer::{EmptyGroup, LoadBalancer, LoadBalancerChange, classic_load_balancer_is_healthy};
pub use metric_stream::MetricStream;
pub use node_check::NodeChecker;
pub use probeable::{NotProbeable, probeable};
pub use prober::{ProbeJudgement, ProbeResult, ProberSettings, ProberSettingsError};
pub use resource_evidence::ResourceEvidence;
pub use routing_control::{RoutingControlError, RoutingControls};
pub use searched_body::{SEARCHED_BYTES, SearchedBody};
pub use status_settings::StatusSettings;
pub use target_group::{TargetChange, TargetGroup, TargetGroupSettings, TargetGroupSettingsError, TargetHealth};
pub use target_group_health::{MinimumHealthy, MinimumHealthyError, TargetCount, TargetGroupHealth};
