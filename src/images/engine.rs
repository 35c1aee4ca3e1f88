//! Talks to the Docker engine about images.

use std::collections::HashMap;
use std::error::Error as _;
use std::time::Duration;

use bollard::Docker;
use bollard::errors::Error;
use bollard::models::ImageSummary;
use bollard::query_parameters::{
    BuildImageOptionsBuilder, CreateImageOptionsBuilder, ListImagesOptionsBuilder, PruneImagesOptionsBuilder,
    RemoveImageOptionsBuilder,
};
use futures_util::StreamExt;

use super::trouble::OLDEST_API;
use super::{Image, ImagesError, MadeFrom, context};
use crate::containers::EngineHost;

/// The label that says which image of the catalogue an image is.
const IMAGE: &str = "muster.image";
/// The label that says what it was made from.
const MADE_FROM: &str = "muster.made-from";
/// The label of what only served to build an image.
const STAGE: &str = "muster.stage";
/// How long an engine may take to say who it is.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long it may be silent while it works: packages are fetched through what lines there are.
const WORK: Duration = Duration::from_secs(1800);
/// How long a pull may take before it counts as impossible.
const PULL: Duration = Duration::from_secs(60);
/// How many lines of a log are kept for when it fails.
const LOG_LINES: usize = 15;

/// A Docker engine that answers.
#[derive(Clone, Debug)]
pub struct Engine {
    docker: Docker,
    host: EngineHost,
}

/// An image of muster's that an engine has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Its name in the catalogue, of this muster or another.
    pub name: String,
    /// What it was made from.
    pub made_from: MadeFrom,
    /// The engine's id of it.
    pub id: String,
    /// Its tag.
    pub tag: String,
    /// Bytes, with the layers that it shares with others.
    pub size: u64,
    /// When it was made, in seconds since 1970.
    pub created: i64,
}

/// What an image is built with.
pub(super) struct Order<'o> {
    pub(super) image: &'static Image,
    pub(super) made_from: &'o MadeFrom,
    /// The build argument that names what it is built on, and its value.
    pub(super) on: (&'static str, &'o str),
    /// Whether layers of an earlier build may not be taken.
    pub(super) anew: bool,
}

impl Engine {
    /// Reaches the engine that `DOCKER_HOST` names, or the one of this machine.
    ///
    /// # Errors
    /// When none answers, or one that is too old; when `DOCKER_HOST` names one in a way that is not spoken here.
    pub async fn reach() -> Result<Self, ImagesError> {
        let named = std::env::var("DOCKER_HOST").ok().filter(|host| !host.is_empty());
        let host = named.unwrap_or_else(|| "unix:///var/run/docker.sock".to_owned());
        let Some(at) = EngineHost::named(&host) else { return Err(ImagesError::NotSpoken { host }) };
        let silent = |problem| ImagesError::NoEngine { host: host.clone(), problem };
        let docker = Docker::connect_with_host(&host).map_err(|error| silent(told(&error)))?;
        let asked = tokio::time::timeout(PATIENCE, docker.version()).await;
        let version = asked
            .map_err(|_| silent(format!("no answer within {} s", PATIENCE.as_secs())))?
            .map_err(|error| silent(told(&error)))?;
        let api = version.api_version.unwrap_or_default();
        if older(&api, OLDEST_API) {
            let version = version.version.unwrap_or_else(|| "of an unknown version".to_owned());
            return Err(ImagesError::OldEngine { host, version, api });
        }
        let docker = docker.negotiate_version().await.map_err(|error| silent(told(&error)))?;
        Ok(Self { docker: docker.with_timeout(WORK), host: at })
    }

    /// Every image of muster's that it has.
    ///
    /// # Errors
    /// When the engine refuses.
    pub async fn held(&self) -> Result<Vec<Held>, ImagesError> {
        let labelled = HashMap::from([("label", vec![IMAGE])]);
        let options = ListImagesOptionsBuilder::new().filters(&labelled).build();
        let listed = self.docker.list_images(Some(options)).await;
        let listed = listed.map_err(|error| refused("list its images", &error))?;
        Ok(listed.into_iter().filter_map(own).collect())
    }

    /// Whether it has an image, which may be anybody's.
    ///
    /// # Errors
    /// When the engine refuses, or this is no reference of an image.
    pub async fn has(&self, reference: &str) -> Result<bool, ImagesError> {
        Ok(self.id_of(reference).await?.is_some())
    }

    /// The id of an image by its tag; `None` when the engine does not have it.
    pub(super) async fn id_of(&self, tag: &str) -> Result<Option<String>, ImagesError> {
        match self.docker.inspect_image(tag).await {
            Ok(image) => Ok(image.id),
            Err(Error::DockerResponseServerError { status_code: 404, .. }) => Ok(None),
            Err(error) => Err(refused("look for an image", &error)),
        }
    }

    /// Pulls an image, when that can be done in a short time.
    ///
    /// # Errors
    /// Why it cannot.
    pub(super) async fn pull(&self, repository: &str, tag: &str) -> Result<(), String> {
        let options = CreateImageOptionsBuilder::new().from_image(repository).tag(tag).build();
        let mut answer = self.docker.create_image(Some(options), None, None);
        let pulling = async {
            while let Some(step) = answer.next().await {
                step.map_err(|error| told(&error))?;
            }
            Ok(())
        };
        let waited = tokio::time::timeout(PULL, pulling).await;
        waited.unwrap_or_else(|_| Err(format!("not done within {} s", PULL.as_secs())))
    }

    /// Imports a root file system as an image.
    pub(super) async fn import(&self, tar: Vec<u8>, image: &Image, made_from: &MadeFrom) -> Result<(), ImagesError> {
        let options = CreateImageOptionsBuilder::new()
            .from_src("-")
            .repo(&format!("muster/{}", image.name))
            .tag(made_from.tag())
            .changes(vec![format!("LABEL {IMAGE}={} {MADE_FROM}={made_from}", image.name)])
            .build();
        let mut answer = self.docker.create_image(Some(options), Some(bollard::body_full(tar.into())), None);
        while let Some(step) = answer.next().await {
            step.map_err(|error| ImagesError::of_build(image.name, &told(&error), String::new()))?;
        }
        Ok(())
    }

    /// Imports a program, with what it needs, as an image that runs it.
    pub(super) async fn import_program(
        &self,
        tar: Vec<u8>,
        name: &str,
        made_from: &MadeFrom,
        entry_point: &[String],
    ) -> Result<(), ImagesError> {
        let entry_point = serde_json::to_string(entry_point).map_err(std::io::Error::from)?;
        let options = CreateImageOptionsBuilder::new()
            .from_src("-")
            .repo(&format!("muster/{name}"))
            .tag(made_from.tag())
            .changes(vec![format!("LABEL {IMAGE}={name} {MADE_FROM}={made_from}"), format!("ENTRYPOINT {entry_point}")])
            .build();
        let mut answer = self.docker.create_image(Some(options), Some(bollard::body_full(tar.into())), None);
        while let Some(step) = answer.next().await {
            step.map_err(|error| ImagesError::of_build(name, &told(&error), String::new()))?;
        }
        Ok(())
    }

    /// The engine itself, for whoever starts containers of these images.
    #[must_use]
    pub fn docker(&self) -> Docker {
        self.docker.clone()
    }

    /// Where it is.
    #[must_use]
    pub fn host(&self) -> EngineHost {
        self.host.clone()
    }

    /// Builds an image; `line` is told each line of the log.
    pub(super) async fn build(&self, order: &Order<'_>, line: impl Fn(&str)) -> Result<(), ImagesError> {
        let name = order.image.name;
        let context = context::tar(order.image.files)?;
        let options = BuildImageOptionsBuilder::new()
            .t(&tag(name, order.made_from))
            .buildargs(&HashMap::from([order.on]))
            .labels(&HashMap::from([(IMAGE, name), (MADE_FROM, order.made_from.as_str())]))
            .nocache(order.anew)
            .rm(true)
            .forcerm(true)
            .build();
        let mut log = Log::default();
        let mut answer = self.docker.build_image(options, None, Some(bollard::body_full(context.into())));
        while let Some(step) = answer.next().await {
            match step {
                Ok(step) => log.add(&step.stream.unwrap_or_default(), &line),
                Err(error) => return Err(ImagesError::of_build(name, &told(&error), log.last())),
            }
        }
        Ok(())
    }

    /// Removes what only served to build other images.
    pub(super) async fn forget_stages(&self) -> Result<(), ImagesError> {
        let filters = HashMap::from([("dangling", vec!["true"]), ("label", vec![STAGE])]);
        let options = PruneImagesOptionsBuilder::new().filters(&filters).build();
        match self.docker.prune_images(Some(options)).await {
            // Another muster is at the same: it will remove them.
            Ok(_) | Err(Error::DockerResponseServerError { status_code: 409, .. }) => Ok(()),
            Err(error) => Err(refused("remove what images were built with", &error)),
        }
    }

    /// Removes an image.
    ///
    /// # Errors
    /// When it is in use, or the engine refuses.
    pub async fn remove(&self, held: &Held) -> Result<(), ImagesError> {
        let options = RemoveImageOptionsBuilder::new().build();
        match self.docker.remove_image(&held.tag, Some(options), None).await {
            Ok(_) | Err(Error::DockerResponseServerError { status_code: 404, .. }) => Ok(()),
            Err(Error::DockerResponseServerError { status_code: 409, message }) => {
                Err(ImagesError::InUse(format!("{}: {message}", held.name)))
            }
            Err(error) => Err(refused("remove an image", &error)),
        }
    }
}

/// An image of muster's. Its labels alone do not say so: whatever is built on it inherits them, but not its tag.
fn own(image: ImageSummary) -> Option<Held> {
    let name = image.labels.get(IMAGE)?.clone();
    let made_from = MadeFrom::of_label(image.labels.get(MADE_FROM)?);
    let tag = tag(&name, &made_from);
    image.repo_tags.contains(&tag).then(|| Held {
        name,
        made_from,
        tag,
        id: image.id,
        size: u64::try_from(image.size).unwrap_or_default(),
        created: image.created,
    })
}

/// The tag of an image.
#[must_use]
pub fn tag(name: &str, made_from: &MadeFrom) -> String {
    format!("muster/{name}:{}", made_from.tag())
}

/// The last lines of a log that comes in pieces.
#[derive(Default)]
pub(super) struct Log {
    lines: std::collections::VecDeque<String>,
    /// A line that has not ended yet.
    open: String,
}

impl Log {
    pub(super) fn add(&mut self, piece: &str, line: impl Fn(&str)) {
        self.open.push_str(piece);
        while let Some(end) = self.open.find('\n') {
            let whole: String = self.open.drain(..=end).collect();
            let whole = console::strip_ansi_codes(whole.trim()).into_owned();
            if whole.is_empty() {
                continue;
            }
            line(&whole);
            self.lines.push_back(whole);
            if self.lines.len() > LOG_LINES {
                self.lines.pop_front();
            }
        }
    }

    pub(super) fn last(mut self) -> String {
        self.add("\n", |_| {});
        self.lines.into_iter().fold(String::new(), |text, line| text + &line + "\n")
    }
}

fn refused(what: &str, error: &Error) -> ImagesError {
    ImagesError::Engine { what: what.to_owned(), problem: told(error) }
}

/// The error and what is behind it: "permission denied" stands at the bottom.
fn told(error: &Error) -> String {
    if let Error::DockerResponseServerError { message, .. } | Error::DockerStreamError { error: message } = error {
        return message.clone();
    }
    let mut text = error.to_string();
    let mut behind = error.source();
    while let Some(cause) = behind {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        behind = cause.source();
    }
    text
}

/// Whether an API version is older than another; one that cannot be read is.
fn older(api: &str, than: &str) -> bool {
    let parts = |version: &str| {
        let (major, minor) = version.split_once('.')?;
        Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?))
    };
    parts(api) < parts(than)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        assert!(older("1.40", "1.41") && older("1.9", "1.41") && older("", "1.41") && older("0.99", "1.41"));
        assert!(!older("1.41", "1.41") && !older("1.100", "1.41") && !older("2.0", "1.41"));
    }

    #[test]
    fn an_image_that_somebody_built_on_one_of_musters_is_not_taken_for_it() {
        let made_from = MadeFrom::of_id("sha256:d");
        let labels = [(IMAGE, "base"), (MADE_FROM, made_from.as_str())];
        let labels: HashMap<_, _> = labels.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
        let image = |tags: &[&str]| ImageSummary {
            labels: labels.clone(),
            repo_tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
            ..ImageSummary::default()
        };
        let its_own = tag("base", &made_from);
        assert_eq!(own(image(&["mine:latest", &its_own])).unwrap().tag, its_own);
        assert_eq!(own(image(&["mine:latest"])), None);
        assert_eq!(own(image(&[])), None);
    }

    #[test]
    fn the_last_lines_of_a_log_are_kept_whole_and_without_colour() {
        let (mut log, seen) = (Log::default(), RefCell::new(Vec::new()));
        for piece in ["Step 1", "/2 : FROM a\n \u{1b}[91mE: b", "ad\n\u{1b}[0m\n", "rest"] {
            log.add(piece, |line| seen.borrow_mut().push(line.to_owned()));
        }
        assert_eq!(*seen.borrow(), ["Step 1/2 : FROM a", "E: bad"]);
        assert_eq!(log.last(), "Step 1/2 : FROM a\nE: bad\nrest\n");

        let mut hundred = Log::default();
        (0..100).for_each(|n| hundred.add(&format!("{n}\n"), |_| {}));
        assert_eq!(hundred.last().lines().collect::<Vec<_>>(), (85..100).map(|n| n.to_string()).collect::<Vec<_>>());
    }
}
