//! The matrix: which resolver, and which client, takes how long to follow a failover.
//!
//! It is planned as texts and read from journals: a drill in, one drill for each resolver out, each with every client in it; and a
//! run's events in, figures out. It starts nothing and reads no file. What a program is expected to do is what is
//! predicted of it, and that comes from the rules about resolvers and clients (`RSV-…`, `CLI-…`, `TMX-…`).

mod base;
mod entrants;
mod summary;
mod told;

#[cfg(test)]
pub(crate) mod made_up;
#[cfg(test)]
mod tests;

pub use base::{BUILT_IN, BUILT_IN_ZONE, BUILT_IN_ZONE_AT, Base, BaseError, name};
pub use entrants::{CLIENTS, Client, RESOLVERS, Resolver, Rule};
pub use summary::{Left, MatrixSummary, Ran, ResolverSummary};
pub use told::{ClientTold, Figure, Standing, Told};
