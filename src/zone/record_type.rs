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
