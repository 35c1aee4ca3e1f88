//! Whether there is an engine, and what becomes of a trial without one.

use std::process::Command;
use std::sync::{PoisonError, RwLock};

use libtest_mimic::{Completion, Trial};
use muster::images::Engine;

/// What `MUSTER_REQUIRE_DOCKER` is set to where an engine must be there.
const REQUIRED: &str = "1";

/// Whether trials that need an engine can run.
#[derive(Clone)]
pub(crate) enum Standing {
    /// An engine answers.
    Engine,
    /// None does, and that is no error.
    None,
    /// None does, though one is required; why.
    Missing(String),
}

impl Standing {
    pub(crate) fn of_this_machine() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let required = std::env::var("MUSTER_REQUIRE_DOCKER").is_ok_and(|value| value == REQUIRED);
        match runtime.block_on(Engine::reach()) {
            Ok(_) => Self::Engine,
            Err(_) if !required => Self::None,
            Err(error) => Self::Missing(error.to_string()),
        }
    }
}

/// What a trial cannot do without.
#[derive(Clone, Copy)]
pub(crate) enum Needs {
    Nothing,
    /// An engine that nobody else uses meanwhile: it counts what is there, or measures closely.
    Engine,
    /// An engine, which another such trial may use meanwhile: a drill waits more than it works.
    SharedEngine,
}

/// Held by a trial while it uses the engine: alone, or with others.
static ENGINE: RwLock<()> = RwLock::new(());

pub(crate) fn trial(name: &str, needs: Needs, run: fn(), standing: &Standing) -> Trial {
    let standing = standing.clone();
    Trial::ignorable_test(name, move || {
        match (needs, standing) {
            (Needs::Engine | Needs::SharedEngine, Standing::None) => {
                return Ok(Completion::ignored_with("no Docker engine"));
            }
            (Needs::Engine | Needs::SharedEngine, Standing::Missing(why)) => {
                return Err(format!("no Docker engine: {why}").into());
            }
            (Needs::Nothing, _) => run(),
            // A trial that failed while it held the engine leaves nothing behind in the lock.
            (Needs::Engine, Standing::Engine) => {
                let _alone = ENGINE.write().unwrap_or_else(PoisonError::into_inner);
                run();
            }
            (Needs::SharedEngine, Standing::Engine) => {
                let _with_others = ENGINE.read().unwrap_or_else(PoisonError::into_inner);
                run();
            }
        }
        Ok(Completion::Completed)
    })
}

pub(crate) fn without_an_engine_each_trial_is_ignored_by_name_and_fails_where_one_is_required() {
    let this = std::env::current_exe().unwrap();
    let run = |required: &str| {
        let output = Command::new(&this)
            .args(["--skip", "without_an_engine"])
            .env("DOCKER_HOST", "unix:///no/such.sock")
            .env("MUSTER_REQUIRE_DOCKER", required)
            .output()
            .unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let count =
        |said: &str, what: &str| said.lines().filter(|line| line.starts_with("test ") && line.contains(what)).count();

    let (passed, said) = run("");
    let ignored = count(&said, "no Docker engine");
    assert!(passed && ignored > 5, "{said}");
    assert!(said.contains(&format!("0 passed; 0 failed; {ignored} ignored")), "{said}");

    let (passed, said) = run(REQUIRED);
    assert!(!passed && said.contains(&format!("0 passed; {ignored} failed; 0 ignored")), "{said}");
    assert!(said.contains("no Docker engine answers at unix:///no/such.sock"), "{said}");
}
