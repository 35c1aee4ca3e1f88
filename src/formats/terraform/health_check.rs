//! `aws_route53_health_check`.

use crate::formats::health_check::{self, Words};
use crate::health::HealthCheckDefinition;
use crate::zone::document::Node;

const WORDS: Words = Words {
    kind: "type",
    address: "ip_address",
    name: "fqdn",
    port: "port",
    path: "resource_path",
    search: "search_string",
    sni: "enable_sni",
    interval: "request_interval",
    failure_threshold: "failure_threshold",
    regions: "regions",
    children: "child_healthchecks",
    healthy_threshold: "child_health_threshold",
    alarm: None,
    alarm_region: "cloudwatch_alarm_region",
    alarm_name: "cloudwatch_alarm_name",
    insufficient_data: "insufficient_data_health_status",
    routing_control: "routing_control_arn",
    inverted: "invert_healthcheck",
    disabled: "disabled",
};

pub(super) fn read(node: &Node<'_>) -> Option<HealthCheckDefinition> {
    health_check::read(node, &WORDS)
}
