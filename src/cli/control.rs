//! `muster control`: lists the routing controls of a drill that runs, or turns one.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use clap::{Args, ValueEnum};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::UnixStream;

use crate::lab::ControlSocket;
use crate::report::folder::{IsCampaign, JOURNAL, of_campaign};

/// A lab that says nothing for so long, wall time, is stuck.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of an answer that are read at most.
const ANSWER_LIMIT: usize = 1024 * 1024;

/// List the routing controls of a drill that runs, or turn one
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  muster control reports/routing-control-20260301T120000Z us-east off")]
pub struct ControlArgs {
    /// The report folder of the run
    pub folder: PathBuf,
    /// The routing control to turn [default: none is turned, all are listed]
    #[arg(requires = "to")]
    pub control: Option<String>,
    /// What to turn it to
    #[arg(value_enum)]
    pub to: Option<Position>,
    /// Print JSON in place of words
    #[arg(long)]
    pub json: bool,
}

/// What a routing control is turned to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Position {
    /// Healthy
    On,
    /// Unhealthy
    Off,
}

/// A control that was neither read nor turned.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// There is no run in this folder.
    #[error("{0}: no run has left its journal here; expected the report folder of a run, as `muster run` names it")]
    NoRun(PathBuf),
    /// A control is that of one drill.
    #[error(transparent)]
    Campaign(#[from] IsCampaign),
    /// Nobody listens.
    #[error("{0}: this run is over; a control is turned while a drill runs")]
    Over(PathBuf),
    /// The run does not answer.
    #[error("{folder}: the run does not answer: {problem}; try again, or see whether it still runs")]
    Silent {
        /// The run's folder.
        folder: PathBuf,
        /// What happened.
        problem: String,
    },
    /// The run refuses.
    #[error("{0}")]
    Refused(String),
    /// The system gives no runtime.
    #[error("nothing was turned: {0}")]
    System(#[from] io::Error),
}

/// Reads or turns; what to print.
///
/// # Errors
/// When the run is over, or refuses: no such control, or its safety rule.
pub fn control(args: &ControlArgs) -> Result<String, ControlError> {
    let folder = || args.folder.clone();
    let Some(socket) = ControlSocket::of_run(&args.folder) else {
        return Err(nobody_listens(&args.folder));
    };
    let request = request(args).map_err(|error| ControlError::Refused(error.to_string()))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let answer = runtime.block_on(async { tokio::time::timeout(PATIENCE, ask(&socket, request)).await });
    let silent = |problem| ControlError::Silent { folder: folder(), problem };
    let (ok, answer) = match answer {
        Ok(Ok(answer)) => answer,
        // The file of a run that was killed.
        Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionRefused => return Err(ControlError::Over(folder())),
        Ok(Err(error)) => return Err(silent(error.to_string())),
        Err(_) => return Err(silent(format!("nothing came within {PATIENCE:?}"))),
    };
    let answer: Value = serde_json::from_slice(&answer).map_err(|error| silent(error.to_string()))?;
    if !ok {
        let why = answer["error"].as_str().map_or_else(|| answer.to_string(), str::to_owned);
        return Err(ControlError::Refused(why));
    }
    Ok(if args.json { format!("{answer:#}\n") } else { in_words(&answer) })
}

/// Why no run listens in this folder.
fn nobody_listens(folder: &Path) -> ControlError {
    let mut drills = of_campaign(folder);
    if drills.is_empty() && !folder.join(JOURNAL).is_file() {
        return ControlError::NoRun(folder.to_owned());
    }
    drills.retain(|drill| ControlSocket::of_run(drill).is_some());
    if drills.is_empty() {
        return ControlError::Over(folder.to_owned());
    }
    IsCampaign { folder: folder.to_owned(), drills }.into()
}

fn request(args: &ControlArgs) -> Result<Request<Body>, axum::http::Error> {
    let request = Request::builder().header(header::HOST, "muster");
    match args.control.as_deref().zip(args.to) {
        None => request.uri("/routing-controls").body(Body::empty()),
        Some((control, to)) => {
            let body = json!({ "on": to == Position::On }).to_string();
            let request = request.method("PUT").uri(format!("/routing-controls/{}", escaped(control)));
            request.header(header::CONTENT_TYPE, "application/json").body(Body::from(body))
        }
    }
}

/// A name as one segment of a path.
fn escaped(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~');
    name.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// Whether it was done, and the answer.
async fn ask(socket: &Path, request: Request<Body>) -> io::Result<(bool, Vec<u8>)> {
    let stream = UnixStream::connect(socket).await?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
    let exchange = async move {
        let answer = sender.send_request(request).await.map_err(io::Error::other)?;
        let done = answer.status().is_success();
        let body = to_bytes(Body::new(answer.into_body()), ANSWER_LIMIT).await.map_err(io::Error::other)?;
        Ok((done, body.to_vec()))
    };
    // The connection ends when the exchange has let go of its sender.
    futures_util::future::join(exchange, connection).await.0
}

fn in_words(answer: &Value) -> String {
    let word = |on: &Value| if on == &Value::Bool(true) { "on" } else { "off" };
    if let (Some(control), on) = (answer["control"].as_str(), &answer["on"]) {
        return format!("{control} is {}\n", word(on));
    }
    match answer["controls"].as_object().filter(|controls| !controls.is_empty()) {
        Some(controls) => {
            let lines: Vec<String> =
                controls.iter().map(|(control, on)| format!("{control} is {}", word(on))).collect();
            lines.join("\n") + "\n"
        }
        None => "this drill has no routing control\n".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::control_plane::served_in_a_test;

    fn args(folder: &Path, turn: Option<(&str, Position)>) -> ControlArgs {
        let (control, to) = turn.unzip();
        ControlArgs { folder: folder.to_owned(), control: control.map(str::to_owned), to, json: false }
    }

    #[test]
    fn a_drill_that_runs_lists_and_turns_its_controls_and_refuses_in_words() {
        let folder = tempfile::tempdir().unwrap();
        let socket = ControlSocket::for_run(folder.path()).unwrap();
        served_in_a_test(socket.path(), || {
            let turn = |turn| control(&args(folder.path(), turn));
            assert_eq!(turn(None).unwrap(), "east is on\nwest is on\n");
            assert_eq!(turn(Some(("east", Position::Off))).unwrap(), "east is off\n");
            let refused = turn(Some(("west", Position::Off))).unwrap_err().to_string();
            assert!(refused.contains("safety rule"), "{refused}");
            let unknown = turn(Some(("eest", Position::On))).unwrap_err().to_string();
            assert!(unknown.contains("did you mean `east`?"), "{unknown}");
            let json = control(&ControlArgs { json: true, ..args(folder.path(), None) }).unwrap();
            assert_eq!(
                serde_json::from_str::<Value>(&json).unwrap(),
                json!({"controls": {"east": false, "west": true}})
            );
        });
    }

    #[test]
    fn a_run_that_is_over_and_a_folder_of_no_run_say_so() {
        let folder = tempfile::tempdir().unwrap();
        let none = control(&args(folder.path(), None)).unwrap_err();
        assert!(matches!(none, ControlError::NoRun(_)), "{none}");
        std::fs::write(folder.path().join("journal.jsonl"), "").unwrap();
        let over = control(&args(folder.path(), None)).unwrap_err();
        assert!(over.to_string().contains("this run is over"), "{over}");
        // A run that was killed leaves its socket's file behind.
        drop(std::os::unix::net::UnixListener::bind(folder.path().join("control.sock")).unwrap());
        let killed = control(&args(folder.path(), None)).unwrap_err();
        assert!(matches!(killed, ControlError::Over(_)), "{killed}");
    }

    #[test]
    fn of_a_campaign_the_drills_that_run_are_named() {
        let campaign = tempfile::tempdir().unwrap();
        let drills = ["a-1", "b-1"].map(|drill| campaign.path().join(drill));
        for drill in &drills {
            std::fs::create_dir(drill).unwrap();
            std::fs::write(drill.join("journal.jsonl"), "").unwrap();
        }
        let over = control(&args(campaign.path(), None)).unwrap_err();
        assert!(matches!(over, ControlError::Over(_)), "{over}");
        let _listens = std::os::unix::net::UnixListener::bind(drills[1].join("control.sock")).unwrap();
        let refused = control(&args(campaign.path(), None)).unwrap_err().to_string();
        assert!(refused.ends_with(&format!("name that of one of its drills: {}", drills[1].display())), "{refused}");
    }

    #[test]
    fn a_name_is_one_segment_of_a_path() {
        assert_eq!(escaped("us-east 1/x"), "us-east%201%2Fx");
    }
}
