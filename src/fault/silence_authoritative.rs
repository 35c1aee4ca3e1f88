//! The authoritative server falls silent: queries reach it no longer, or its answers nobody. Nothing is detected and no
//! answer changes; resolvers go on with what they have until its TTL ends. Then they fail, or give what has expired
//! where they may (RFC 8767; RSV-STL-1, RSV-STL-7).

use super::{Entry, Harm, Part};

pub(super) const ENTRY: Entry = Entry {
    word: "silence-authoritative",
    harm: Harm::Silenced,
    needs: "the authoritative server",
    fits: |_| false,
    parts: |_, _| vec![Part::Authoritative],
    subject: |_| "the authoritative server".to_owned(),
    breaks: |_| "the authoritative server is silent: every query to it is dropped".to_owned(),
    confirmed: |_| "a query to it has no answer within 5 s".to_owned(),
    undo: |_| "let queries to the authoritative server through again".to_owned(),
};
