//! muster as a person runs it: the binary, its exit codes, its files. One module for each topic.

#![expect(clippy::unwrap_used, reason = "these are tests")]

mod campaign;
mod command_line;
mod compare;
mod conform;
mod conform_drills;
mod desk;
mod images;
mod import;
mod matrix;
mod programs;
mod run;
mod toxiproxy;
mod virtual_lab;
mod ways_out;
