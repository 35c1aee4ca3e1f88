//! reqwest as it is now, under the version that `toxiproxy_rust` asks for.

pub use current::*;
