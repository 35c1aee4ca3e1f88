//! What a client is made of: muster's own, a known program, or an image that somebody brings.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::Speed;

use super::{ClientPlan, ClientProfile, WireTtl};

/// What a client is made of. All but muster's own tell nothing that is trusted: what arrives at the cells is all that is
/// seen of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClientRuns {
    /// muster's own client, which tells how each of its requests ended.
    #[default]
    Muster,
    /// A program that muster has an image of. Where no such program runs, muster's own client of the same profile stands
    /// for it; what that tells is used.
    Known(ClientSoftware),
    /// An image that the drill names.
    Image(ClientImage),
}

/// An image that a drill names for a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientImage {
    /// Its reference, as the engine takes it: `registry.example.com/app:1`.
    pub image: String,
    /// What runs in it; empty: what the image says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// Set in its environment, besides what muster sets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
}

/// A program that asks, and that muster has an image of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClientSoftware {
    /// curl in a loop.
    Curl,
    /// Go's `net/http`.
    Go,
    /// The JVM's `HttpURLConnection`.
    Jvm,
    /// Node's `fetch` or `http`.
    Node,
    /// Python's `httpx`.
    Python,
    /// curl behind nginx as a reverse proxy.
    Nginx,
    /// gRPC in Go.
    Grpc,
}

/// What the program of a client does, as a profile: see [`ClientSoftware::can_be`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileKind {
    /// [`ClientProfile::FreshLookup`].
    FreshLookup,
    /// [`ClientProfile::RuntimeCache`].
    RuntimeCache,
    /// [`ClientProfile::CacheForever`].
    CacheForever,
    /// [`ClientProfile::KeepAlivePool`].
    KeepAlivePool,
    /// [`ClientProfile::RecyclingPool`].
    RecyclingPool,
    /// [`ClientProfile::AgeingPool`].
    AgeingPool,
}

impl ProfileKind {
    /// Its name in a drill file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::FreshLookup => "fresh-lookup",
            Self::RuntimeCache => "runtime-cache",
            Self::CacheForever => "cache-forever",
            Self::KeepAlivePool => "keep-alive-pool",
            Self::RecyclingPool => "recycling-pool",
            Self::AgeingPool => "ageing-pool",
        }
    }
}

impl From<ClientProfile> for ProfileKind {
    fn from(profile: ClientProfile) -> Self {
        match profile {
            ClientProfile::FreshLookup => Self::FreshLookup,
            ClientProfile::RuntimeCache(_) => Self::RuntimeCache,
            ClientProfile::CacheForever => Self::CacheForever,
            ClientProfile::KeepAlivePool => Self::KeepAlivePool,
            ClientProfile::RecyclingPool(_) => Self::RecyclingPool,
            ClientProfile::AgeingPool(_) => Self::AgeingPool,
        }
    }
}

impl ClientRuns {
    /// Whether this is what a plan says without a word.
    #[must_use]
    pub const fn is_muster(&self) -> bool {
        matches!(self, Self::Muster)
    }
}

impl ClientSoftware {
    /// All of them.
    pub const ALL: [Self; 7] = [Self::Curl, Self::Go, Self::Jvm, Self::Node, Self::Python, Self::Nginx, Self::Grpc];

    /// Its name in a drill file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Curl => "curl",
            Self::Go => "go",
            Self::Jvm => "jvm",
            Self::Node => "node",
            Self::Python => "python",
            Self::Nginx => "nginx",
            Self::Grpc => "grpc",
        }
    }

    /// The name of its image, without `muster/`.
    #[must_use]
    pub const fn image(self) -> &'static str {
        match self {
            Self::Curl => "client-curl",
            Self::Go => "client-go",
            Self::Jvm => "client-jvm",
            Self::Node => "client-node",
            Self::Python => "client-python",
            Self::Nginx => "client-nginx",
            Self::Grpc => "client-grpc",
        }
    }

    /// What its image can be set up to do; the first is what the program does by itself (CLI-OS-1, CLI-GO-2, CLI-JVM-1,
    /// CLI-NODE-2, CLI-PY-3, CLI-NGX-1, CLI-GRPC-1).
    ///
    /// Python's wrapper lets go of its pool by age alone: it is an ageing pool, and no recycling one.
    #[must_use]
    pub const fn can_be(self) -> &'static [ProfileKind] {
        use ProfileKind::{AgeingPool, CacheForever, FreshLookup, KeepAlivePool, RuntimeCache};
        match self {
            Self::Curl => &[FreshLookup],
            Self::Go | Self::Node => &[KeepAlivePool, FreshLookup],
            Self::Jvm => &[RuntimeCache, CacheForever, KeepAlivePool, FreshLookup],
            Self::Python => &[KeepAlivePool, AgeingPool],
            Self::Nginx => &[CacheForever, RuntimeCache],
            Self::Grpc => &[KeepAlivePool],
        }
    }

    /// How long its pool keeps a connection that nobody uses, wall time (CLI-NODE-2, CLI-PY-3; the JDK's own default); a
    /// client that asks less often looks up anew each time. `None`: longer than any client pauses.
    #[must_use]
    pub const fn idles_for(self) -> Option<Duration> {
        match self {
            Self::Node => Some(Duration::from_secs(4)),
            Self::Python | Self::Jvm => Some(Duration::from_secs(5)),
            Self::Curl | Self::Go | Self::Nginx | Self::Grpc => None,
        }
    }

    /// How its image is to be set up for a profile, besides who asks what and how often: names and values of
    /// environment variables. `None`: it cannot be made to do that.
    #[must_use]
    pub fn image_settings(
        self,
        profile: ClientProfile,
        wire: WireTtl,
        speed: Speed,
    ) -> Option<Vec<(&'static str, String)>> {
        if !self.can_be().contains(&profile.into()) {
            return None;
        }
        let seconds = |lab| wire.whole_seconds(lab, speed).to_string();
        let wall_millis = |lab| speed.to_wall(lab).as_millis().max(1).to_string();
        let keeps = |keeps: bool| if keeps { "yes" } else { "no" }.to_owned();
        Some(match (self, profile) {
            (Self::Go, profile) => vec![("MUSTER_KEEP_ALIVE", keeps(profile == ClientProfile::KeepAlivePool))],
            // The agent of Debian's Node keeps no connection.
            (Self::Node, ClientProfile::FreshLookup) => vec![("MUSTER_API", "http".to_owned())],
            (Self::Jvm, profile) => {
                let cache = match profile {
                    ClientProfile::RuntimeCache(held) => seconds(held),
                    ClientProfile::CacheForever => "forever".to_owned(),
                    _ => "0".to_owned(),
                };
                let keeps = keeps(profile == ClientProfile::KeepAlivePool);
                vec![("MUSTER_DNS_CACHE", cache), ("MUSTER_KEEP_ALIVE", keeps)]
            }
            (Self::Python, ClientProfile::AgeingPool(age)) => vec![("MUSTER_RECYCLE_MS", wall_millis(age))],
            (Self::Nginx, ClientProfile::RuntimeCache(held)) => vec![("MUSTER_RESOLVE", seconds(held))],
            _ => Vec::new(),
        })
    }
}

impl fmt::Display for ClientSoftware {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl ClientPlan {
    /// Whether it tells nothing that is trusted: then what arrives at the cells is all that is seen of it. Only where
    /// muster's own client stands for a program, there is more.
    #[must_use]
    pub const fn is_black_box(&self) -> bool {
        !self.runs.is_muster()
    }

    /// When nothing has arrived of it for so long, its requests come nowhere: three of its cadences, and the time in which
    /// it gives one of them up. One request that is lost on the way is shorter.
    #[must_use]
    pub fn silent_after(&self) -> Duration {
        self.every.saturating_mul(3).saturating_add(self.timeout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    const PROFILES: [ClientProfile; 6] = [
        ClientProfile::FreshLookup,
        ClientProfile::RuntimeCache(MINUTE),
        ClientProfile::CacheForever,
        ClientProfile::KeepAlivePool,
        ClientProfile::RecyclingPool(MINUTE),
        ClientProfile::AgeingPool(MINUTE),
    ];

    #[test]
    fn every_program_is_told_how_to_do_what_it_can_and_nothing_else() {
        let speed = Speed::new(7.0).unwrap();
        let mut told = String::new();
        for software in ClientSoftware::ALL {
            assert_eq!(serde_json::to_value(software).unwrap(), software.name());
            for profile in PROFILES {
                let Some(settings) = software.image_settings(profile, WireTtl::WallSeconds, speed) else { continue };
                let settings: Vec<String> = settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
                let line = format!("{software} {}: {}", ProfileKind::from(profile).name(), settings.join(" "));
                told += line.trim_end();
                told.push('\n');
            }
        }
        insta::assert_snapshot!(told, @r"
        curl fresh-lookup:
        go fresh-lookup: MUSTER_KEEP_ALIVE=no
        go keep-alive-pool: MUSTER_KEEP_ALIVE=yes
        jvm fresh-lookup: MUSTER_DNS_CACHE=0 MUSTER_KEEP_ALIVE=no
        jvm runtime-cache: MUSTER_DNS_CACHE=9 MUSTER_KEEP_ALIVE=no
        jvm cache-forever: MUSTER_DNS_CACHE=forever MUSTER_KEEP_ALIVE=no
        jvm keep-alive-pool: MUSTER_DNS_CACHE=0 MUSTER_KEEP_ALIVE=yes
        node fresh-lookup: MUSTER_API=http
        node keep-alive-pool:
        python keep-alive-pool:
        python ageing-pool: MUSTER_RECYCLE_MS=8571
        nginx runtime-cache: MUSTER_RESOLVE=9
        nginx cache-forever:
        grpc keep-alive-pool:
        ");
    }
}
