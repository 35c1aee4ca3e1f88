//! Which AWS resources have a health that an alias can evaluate, told by their names.

use hickory_proto::rr::Name;

/// Whether evaluate target health means anything for this resource. For S3 websites (R53-97), API Gateways and VPC
/// interface endpoints (R53-98) it does not: they have no health of their own.
#[must_use]
pub fn has_health(target: &Name) -> bool {
    let labels: Vec<&[u8]> = target.iter().collect();
    let is_without = |label: &&[u8]| label.starts_with(b"s3-website") || matches!(*label, b"execute-api" | b"vpce");
    !(labels.ends_with(&[b"amazonaws", b"com"]) && labels.iter().any(is_without))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r53_97_and_98_sites_and_gateways_have_no_health() {
        for (name, expected) in [
            ("s3-website-sa-east-1.amazonaws.com.", false),
            ("s3-website.eu-central-1.amazonaws.com.", false),
            ("d-abc123.execute-api.us-east-1.amazonaws.com.", false),
            ("vpce-0123-abcd.ec2.us-east-1.vpce.amazonaws.com.", false),
            ("balancer-1.us-east-1.elb.amazonaws.com.", true),
            ("env.eba-abc.us-east-1.elasticbeanstalk.com.", true),
            ("vpce.example.net.", true),
        ] {
            assert_eq!(has_health(&Name::from_ascii(name).unwrap()), expected, "{name}");
        }
    }
}
