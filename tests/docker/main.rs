//! What only a Docker engine can show. Where none answers, each trial is reported as ignored, and why; with
//! `MUSTER_REQUIRE_DOCKER=1` it fails instead.
//!
//! The trials run one after another, but for the mission's scenarios, of which two run at a time unless `--test-threads`
//! says otherwise.

#![expect(clippy::unwrap_used, reason = "these are tests")]

mod at_once;
mod bad_input;
#[path = "../integration/desk.rs"]
#[allow(dead_code, reason = "the other tests use all of it")]
mod desk;
mod drill;
mod engine;
mod harness;
mod images;
mod matrix;
mod measured;
mod mission;
mod remote;
mod ways_out;

use std::process::ExitCode;

use harness::{Needs, trial};

/// Trials by their functions, and what each needs; each is known by its function's name.
macro_rules! trials {
    ($standing:expr; $($needs:ident: $module:ident::$name:ident,)+) => {
        vec![$(trial(stringify!($name), Needs::$needs, $module::$name, $standing)),+]
    };
}

fn main() -> ExitCode {
    let mut arguments = libtest_mimic::Arguments::from_args();
    arguments.test_threads.get_or_insert(2);
    let standing = harness::Standing::of_this_machine();
    let trials = trials![&standing;
        Nothing: harness::without_an_engine_each_trial_is_ignored_by_name_and_fails_where_one_is_required,
        Engine: images::an_image_that_is_as_it_should_be_is_not_built_again,
        Engine: bad_input::a_client_of_an_image_that_there_is_not_is_refused_before_anything_is_made,
        Engine: bad_input::a_client_that_dies_at_its_start_breaks_the_lab_and_is_told_with_its_last_lines,
        Engine: ways_out::ctrl_c_heals_and_removes_everything,
        Engine: ways_out::sigterm_heals_and_removes_everything,
        Engine: ways_out::a_panic_of_the_labs_thread_removes_everything_of_its_run_and_of_no_other,
        Engine: ways_out::ctrl_c_while_the_containers_come_up_leaves_nothing,
        Engine: ways_out::a_cell_that_somebody_kills_breaks_the_lab_and_is_told_with_its_exit_code,
        Engine: ways_out::two_who_remove_the_same_run_do_not_fail_each_other,
        Engine: ways_out::clean_passes_over_a_run_under_way_though_it_is_to_be_kept_and_removes_what_is_named,
        Engine: ways_out::what_kill_9_leaves_the_next_run_removes,
        Engine: measured::database_down_is_measured_inside_its_prediction,
        Engine: measured::database_down_without_its_fault_fails,
        Engine: measured::three_resolvers_and_three_kinds_of_client_move_as_predicted,
        SharedEngine: mission::an_engine_that_is_wedged_frozen_stalled_or_throttled_is_left_as_the_scenarios_say,
        SharedEngine: mission::a_dead_database_is_left_as_the_scenario_says,
        SharedEngine: mission::a_dead_database_behind_haproxy_is_left_as_the_scenario_says,
        SharedEngine: mission::both_regions_down_are_told_as_the_scenario_says,
        SharedEngine: mission::a_queue_so_empty_that_its_metric_vanishes_is_told_as_the_scenario_says,
        SharedEngine: matrix::a_resolver_with_three_clients_is_measured_each_by_what_arrived_of_it,
        Engine: remote::the_ports_of_an_engine_with_an_address_are_reached_there_and_by_who_leads_alone,
        Engine: at_once::two_runs_at_once_do_not_meet,
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}
