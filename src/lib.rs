//! muster: a failover-drill runner and a conformance harness for DNS traffic management.
//!
//! Data moves one way: a drill file is loaded into a [`plan::Plan`]; a lab runs it and gives events; the
//! [`journal`] keeps them; [`timeline`] measures stages from the journal and [`verdict`] judges it; [`report`] shows
//! what both say.

pub mod authoritative;
pub mod cache;
pub mod campaign;
pub mod cli;
pub mod clock;
pub mod compare;
pub mod conduct;
pub mod conform;
pub mod containers;
pub mod decide;
pub mod dns_message;
pub mod drill;
pub mod explain;
pub mod fault;
pub mod formats;
pub mod geography;
pub mod gherkin;
pub mod ground;
pub mod health;
pub mod images;
pub mod journal;
pub mod lab;
pub mod matrix;
pub mod mistakes;
pub mod node;
pub mod plan;
pub mod report;
pub mod rulebook;
pub mod service;
pub mod source;
pub mod subject;
pub mod timeline;
pub mod toxiproxy;
pub mod verdict;
pub mod zone;
