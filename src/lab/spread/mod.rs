//! A lab that is spread over processes: one hub, and members that each build a share of it.
//!
//! The hub keeps the evidence, answers as the authoritative server, probes and observes; it is also the lab's router. A
//! member serves its share (a cell, one part of a cell, a client) and sends the hub what happened and what it knows of
//! its load balancer's health. All stamp by one clock. Who leads the lab holds one connection to the hub, through which
//! everything passes; when that ends, the hub ends, and with it the members.

mod clocks;
mod error;
mod hub;
mod link;
mod member;
mod members;
mod message;
mod relay;
mod token;

pub use error::SpreadError;
pub use hub::{CONTROL_PORT, MEMBER_PORT, SWITCHES_PORT, run_hub};
pub use link::{Link, connect};
pub use member::run_member;
pub use message::{FromHub, Opening, ToHub};
pub use relay::to_a_port;
pub use token::{NoToken, TOKEN, Token};

#[cfg(test)]
mod tests;
