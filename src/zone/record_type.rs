//! The record types that Route 53 keeps, by their names.

use hickory_proto::rr::RecordType;

/// SPF (RFC 7208 retired it; Route 53 still keeps it).
pub const SPF: RecordType = RecordType::Unknown(99);

/// The record types that Route 53 keeps (Supported DNS record types).
pub const SUPPORTED_TYPES: &[(&str, RecordType)] = &[
    ("A", RecordType::A),
    ("AAAA", RecordType::AAAA),
    ("CAA", RecordType::CAA),
    ("CNAME", RecordType::CNAME),
    ("DS", RecordType::DS),
    ("HTTPS", RecordType::HTTPS),
    ("MX", RecordType::MX),
    ("NAPTR", RecordType::NAPTR),
    ("NS", RecordType::NS),
    ("PTR", RecordType::PTR),
    ("SOA", RecordType::SOA),
    ("SPF", SPF),
    ("SRV", RecordType::SRV),
    ("SSHFP", RecordType::SSHFP),
    ("SVCB", RecordType::SVCB),
    ("TLSA", RecordType::TLSA),
    ("TXT", RecordType::TXT),
];

/// The type that Route 53 calls `name`; `None` for what it does not keep.
#[must_use]
pub fn type_of_text(name: &str) -> Option<RecordType> {
    SUPPORTED_TYPES.iter().find(|(known, _)| *known == name).map(|&(_, rtype)| rtype)
}

/// What a type is called.
#[must_use]
pub fn type_text(rtype: RecordType) -> String {
    SUPPORTED_TYPES
        .iter()
        .find(|(_, known)| *known == rtype)
        .map_or_else(|| rtype.to_string(), |(name, _)| (*name).to_owned())
}

/// How a value of a type is written, with an example.
#[must_use]
pub const fn value_form(rtype: RecordType) -> &'static str {
    match rtype {
        RecordType::A => "an IPv4 address, as `192.0.2.1`",
        RecordType::AAAA => "an IPv6 address, as `2001:db8::1`",
        RecordType::CAA => "flags, a tag and a text, as `0 issue \"ca.example.com\"`",
        RecordType::CNAME | RecordType::NS | RecordType::PTR => "a domain name, as `host.example.com.`",
        RecordType::DS => "a key tag, an algorithm, a digest type and a digest in hexadecimal",
        RecordType::MX => "a preference and a name, as `10 mail.example.com.`",
        RecordType::NAPTR => "an order, a preference, flags, a service, an expression and a name",
        RecordType::SOA => {
            "two names and five numbers, as `ns.example.com. host.example.com. 1 7200 900 1209600 86400`"
        }
        RecordType::SRV => "a priority, a weight, a port and a name, as `1 10 5269 xmpp.example.com.`",
        RecordType::SSHFP => "an algorithm, a type and a fingerprint in hexadecimal",
        RecordType::SVCB | RecordType::HTTPS => "a priority, a name and parameters, as `1 . alpn=h2`",
        RecordType::TLSA => "three numbers and data in hexadecimal, as `3 1 1 0d6fce33`",
        RecordType::TXT | SPF => "texts in quotes, as `\"v=spf1 -all\"`",
        _ => "a value as the type's own rules have it",
    }
}
