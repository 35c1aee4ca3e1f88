//! Where old answers live: a resolver's cache, a client runtime's cache, a client's pool of connections.
//!
//! State machines over lab time. Nothing here asks a server or opens a connection, and nothing here knows the drill.

mod client_cache;
mod pool;
mod resolver_cache;

pub use client_cache::{ClientCache, JDK_LIFETIME, Lifetime};
pub use pool::{AfterAttempt, AttemptEnd, BeforeRequest, DropReason, Next, Pool, PoolPolicy};
pub use resolver_cache::{Hit, Key, ResolverCache, negative_ttl};
