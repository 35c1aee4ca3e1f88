//! The Debian that every image stands on: one that the engine has or can pull, or one that is made here.

use std::io;
use std::process::Stdio;

use tokio::io::AsyncReadExt;
use tokio::process::{Child, Command};

use super::engine::{Log, tag};
use super::{Engine, Held, Image, ImagesError, MadeFrom, Progress, work};

const REPOSITORY: &str = "debian";
const TAG: &str = "bookworm-slim";

/// The id of the Debian that the engine has: the one that muster made goes first, then Debian's own.
///
/// # Errors
/// When the engine refuses.
pub async fn present(engine: &Engine, held: &[Held]) -> Result<Option<String>, ImagesError> {
    match work::own_debian(held) {
        Some(own) => Ok(Some(own.id.clone())),
        None => engine.id_of(&format!("{REPOSITORY}:{TAG}")).await,
    }
}

/// Pulls a Debian, or makes one; its id.
pub(super) async fn fetch(engine: &Engine, image: &Image, tell: &dyn Fn(Progress<'_>)) -> Result<String, ImagesError> {
    tell(Progress::Awaits(&format!("pulling {REPOSITORY}:{TAG}")));
    let official = format!("{REPOSITORY}:{TAG}");
    let problem = match engine.pull(REPOSITORY, TAG).await {
        Ok(()) => match engine.id_of(&official).await? {
            Some(id) => {
                tell(Progress::Line(&format!("{official} pulled")));
                return Ok(id);
            }
            None => "it is not there after it was pulled".to_owned(),
        },
        Err(problem) => problem,
    };
    tell(Progress::Line(&format!(
        "{official} cannot be pulled ({problem}): mmdebstrap makes one, which takes a minute"
    )));
    let made_from = MadeFrom::of(image, None);
    let script = image.files.first().map_or("", |(_, content)| content);
    let tar = bootstrap(script, &problem, tell).await?;
    engine.import(tar, image, &made_from).await?;
    let imported = tag(image.name, &made_from);
    engine.id_of(&imported).await?.ok_or_else(|| {
        ImagesError::of_build(image.name, &format!("{imported} is not there after it was imported"), String::new())
    })
}

/// Runs the script; the tar that it writes.
async fn bootstrap(script: &str, pull: &str, tell: &dyn Fn(Progress<'_>)) -> Result<Vec<u8>, ImagesError> {
    if let Err(error) = Command::new("mmdebstrap").arg("--version").stdout(Stdio::null()).status().await
        && error.kind() == io::ErrorKind::NotFound
    {
        return Err(ImagesError::NoMmdebstrap { pull: pull.to_owned() });
    }
    let mut command = Command::new("sh");
    command.args(["-c", script]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = Running(command.spawn()?);
    let (mut tar, mut log) = (Vec::new(), Log::default());
    let (output, errors) = (running.0.stdout.take(), running.0.stderr.take());
    let read = async {
        if let Some(mut output) = output {
            output.read_to_end(&mut tar).await?;
        }
        Ok::<(), io::Error>(())
    };
    let listen = async {
        let mut piece = [0; 4096];
        if let Some(mut errors) = errors {
            while let count @ 1.. = errors.read(&mut piece).await? {
                log.add(&String::from_utf8_lossy(&piece[..count]), |line| {
                    tell(Progress::Awaits(&format!("debian: {line}")));
                });
            }
        }
        Ok::<(), io::Error>(())
    };
    tokio::try_join!(read, listen)?;
    let status = running.0.wait().await?;
    if status.success() {
        Ok(tar)
    } else {
        Err(ImagesError::Mmdebstrap { problem: status.to_string(), log: log.last() })
    }
}

/// A process that is asked to end when nobody waits for it any more: it then takes its own mounts and files away.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(id) = self.0.id().and_then(|id| i32::try_from(id).ok()) {
            let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(id), nix::sys::signal::Signal::SIGTERM);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(script: &str) -> Result<Vec<u8>, ImagesError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(bootstrap(script, "no registry", &|_| {}))
    }

    #[test]
    fn a_script_that_fails_is_told_with_its_last_lines_and_gives_no_image() {
        let error = run("echo half; echo 'E: no mirror' >&2; exit 7").unwrap_err();
        // Where there is no mmdebstrap, that is told instead.
        if !matches!(error, ImagesError::NoMmdebstrap { .. }) {
            let text = error.to_string();
            assert!(text.contains("exit status: 7") && text.contains("| E: no mirror"), "{text}");
        }
    }
}
