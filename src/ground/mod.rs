//! What a lab stands on: addresses, lab time, and the way into the journal. The rest of the lab asks for a host and gets
//! addresses.
//!
//! Nodes think and speak in *lab addresses*: those that the zone writes and that answers carry. A ground says which
//! socket address of this machine stands for one. In a network namespace that is the same address; on loopback it is
//! one of 127/8 and a high port. A simulated ground has no sockets: who listens on it is found in memory, under the same
//! address. Nothing here knows what a host is for.

#[cfg(target_os = "linux")]
mod container;
mod cut;
mod environment;
mod lab_clock;
mod loopback;
#[cfg(target_os = "linux")]
mod namespace;
mod process;
mod recorder;
mod simulated_clock;
mod simulated_network;
mod wall_clock;

use std::collections::BTreeSet;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use crate::clock::Speed;
use crate::plan::Family;

pub use container::{Wiring, WiringError, wire_container};
#[cfg(target_os = "linux")]
pub use cut::cut_off;
pub use environment::Environment;
pub use lab_clock::LabClock;
pub use process::{ProcessGround, prepare_process};
pub use recorder::Recorder;
pub use simulated_clock::{SimulatedClock, SimulatedSleep};
pub use simulated_network::{Answers, AnswersDns, AnswersHttp, Connection, Listening, SimulatedNetwork, SimulatedWay};
pub use wall_clock::{TimedOut, WallClock};

/// Which ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GroundKind {
    /// A network namespace of its own.
    Namespace,
    /// 127/8 and high ports.
    Loopback,
    /// No sockets: everything in memory.
    Simulated,
    /// A container, whose network was wired by [`wire_container`].
    Container,
}

impl fmt::Display for GroundKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Namespace => "namespace",
            Self::Loopback => "loopback",
            Self::Simulated => "simulated",
            Self::Container => "container",
        })
    }
}

/// Why there is no ground to stand on.
#[derive(Debug, thiserror::Error)]
pub enum GroundError {
    /// The kernel does not give this process a network namespace.
    #[error("no network namespace on this machine: {reason}; run with `--ground loopback`")]
    NoNamespace {
        /// What was tried, and what the kernel said.
        reason: String,
    },
    /// A ground was opened where it would have moved more than one lab.
    #[error("a ground is opened on a thread of the lab's own, inside its current-thread runtime; this is {found}")]
    NotALabThread {
        /// What it was instead.
        found: String,
    },
    /// The namespace is there, but not fit to use.
    #[error("the network namespace could not be set up: {step}: {problem}; run with `--ground loopback`")]
    Namespace {
        /// What was done.
        step: String,
        /// What the kernel said.
        problem: String,
    },
    /// The lab has more hosts than a loopback block has addresses.
    #[error(
        "{hosts} IPv4 hosts are more than loopback can carry, which is {most}; make the drill smaller, or run it \
             where network namespaces are allowed"
    )]
    TooManyHosts {
        /// How many were asked for.
        hosts: usize,
        /// How many there can be.
        most: usize,
    },
    /// No block of 127/8 could be claimed.
    #[error("none of {tried} blocks of 127/8 is free: {problem}")]
    NoBlock {
        /// How many were tried.
        tried: usize,
        /// What the kernel said to the last.
        problem: std::io::Error,
    },
}

/// The ground of one lab; cheap to clone. The last clone gives it back.
#[derive(Clone, Debug)]
pub struct Ground(Arc<Footing>);

#[derive(Debug)]
enum Footing {
    Namespace { addresses: BTreeSet<IpAddr>, ipv6: bool },
    Loopback(loopback::Block),
    Simulated { addresses: BTreeSet<IpAddr>, network: SimulatedNetwork },
    Container { addresses: BTreeSet<IpAddr>, ipv6: bool, wall_seconds: Option<Speed> },
}

impl Ground {
    /// Opens a ground that carries these lab addresses. A namespace stays with the thread that opened it (and with the
    /// blocking threads of its runtime) until that thread ends; a loopback block is given back with the last clone, or
    /// by the kernel when the process dies.
    ///
    /// # Errors
    /// When not called on a thread of the lab's own, inside its current-thread runtime: opening a namespace moves the
    /// thread into it. When the kernel refuses, and when the addresses are more than loopback can carry.
    pub async fn open(kind: GroundKind, addresses: &[IpAddr]) -> Result<Self, GroundError> {
        let addresses: BTreeSet<IpAddr> = addresses.iter().copied().collect();
        match kind {
            GroundKind::Loopback => Ok(Self(Arc::new(Footing::Loopback(loopback::Block::claim(&addresses)?)))),
            GroundKind::Simulated => {
                Ok(Self(Arc::new(Footing::Simulated { addresses, network: SimulatedNetwork::default() })))
            }
            #[cfg(target_os = "linux")]
            GroundKind::Container => {
                let ipv6 = container::carries_ipv6();
                Ok(Self(Arc::new(Footing::Container { addresses, ipv6, wall_seconds: None })))
            }
            #[cfg(target_os = "linux")]
            GroundKind::Namespace => {
                namespace::enter()?;
                let ipv6 = namespace::furnish(&addresses).await?;
                Ok(Self(Arc::new(Footing::Namespace { addresses, ipv6 })))
            }
            #[cfg(not(target_os = "linux"))]
            GroundKind::Namespace | GroundKind::Container => {
                Err(GroundError::NoNamespace { reason: process::NOT_LINUX.to_owned() })
            }
        }
    }

    /// The same ground, whose resolvers count TTLs in whole seconds of wall time while lab time passes at this speed. On
    /// a ground without containers nothing counts so.
    #[must_use]
    pub fn counting_wall_seconds(self, speed: Speed) -> Self {
        match &*self.0 {
            Footing::Container { addresses, ipv6, .. } => Self(Arc::new(Footing::Container {
                addresses: addresses.clone(),
                ipv6: *ipv6,
                wall_seconds: Some(speed),
            })),
            _ => self,
        }
    }

    /// The speed of a lab whose resolvers count TTLs in whole seconds of wall time; `None` where they count lab time.
    #[must_use]
    pub fn wall_seconds(&self) -> Option<Speed> {
        match &*self.0 {
            Footing::Container { wall_seconds, .. } => *wall_seconds,
            Footing::Namespace { .. } | Footing::Loopback(_) | Footing::Simulated { .. } => None,
        }
    }

    /// Which ground this is.
    #[must_use]
    pub fn kind(&self) -> GroundKind {
        match &*self.0 {
            Footing::Namespace { .. } => GroundKind::Namespace,
            Footing::Loopback(_) => GroundKind::Loopback,
            Footing::Simulated { .. } => GroundKind::Simulated,
            Footing::Container { .. } => GroundKind::Container,
        }
    }

    /// The families whose addresses can be connected to.
    #[must_use]
    pub fn families(&self) -> Vec<Family> {
        match &*self.0 {
            Footing::Namespace { ipv6: true, .. }
            | Footing::Container { ipv6: true, .. }
            | Footing::Simulated { .. } => vec![Family::A, Family::Aaaa],
            Footing::Namespace { ipv6: false, .. } | Footing::Container { ipv6: false, .. } | Footing::Loopback(_) => {
                vec![Family::A]
            }
        }
    }

    /// The socket address of this machine that stands for a lab address: to bind a server to, to connect to, to send
    /// from (with port 0). `None` when no host has that address, or this ground cannot carry its family.
    #[must_use]
    pub fn here(&self, lab: SocketAddr) -> Option<SocketAddr> {
        match &*self.0 {
            Footing::Namespace { addresses, ipv6 } | Footing::Container { addresses, ipv6, .. } => {
                (addresses.contains(&lab.ip()) && (*ipv6 || lab.is_ipv4())).then_some(lab)
            }
            Footing::Loopback(block) => block.here(lab),
            Footing::Simulated { addresses, .. } => addresses.contains(&lab.ip()).then_some(lab),
        }
    }

    /// The lab address that a peer's socket address stands for; the address itself when it stands for none.
    #[must_use]
    pub fn lab_address(&self, peer: IpAddr) -> IpAddr {
        match &*self.0 {
            Footing::Namespace { .. } | Footing::Simulated { .. } | Footing::Container { .. } => peer,
            Footing::Loopback(block) => block.lab_address(peer),
        }
    }

    /// The network of a ground without sockets.
    #[must_use]
    pub fn simulated(&self) -> Option<&SimulatedNetwork> {
        match &*self.0 {
            Footing::Simulated { network, .. } => Some(network),
            Footing::Namespace { .. } | Footing::Loopback(_) | Footing::Container { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread::{self, JoinHandle};

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpSocket, UdpSocket};

    use super::*;

    const HOSTS: [&str; 2] = ["198.51.100.53", "2001:db8::53"];

    fn hosts() -> Vec<IpAddr> {
        HOSTS.iter().map(|host| host.parse().unwrap()).collect()
    }

    fn on_a_lab_thread<T, F>(lab: impl FnOnce() -> F + Send + 'static) -> JoinHandle<T>
    where
        F: Future<Output = T>,
        T: Send + 'static,
    {
        let work = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(lab())
        };
        thread::Builder::new().name("lab".to_owned()).spawn(work).unwrap()
    }

    /// A UDP and a TCP server that say the lab's name, on every address; and a client that asks them all.
    async fn says_its_name_everywhere(ground: &Ground, name: &'static str, all_bound: impl FnOnce()) -> usize {
        let mut servers = Vec::new();
        for host in hosts().into_iter().filter(|host| host.is_ipv4() || ground.families().contains(&Family::Aaaa)) {
            let dns = ground.here(SocketAddr::new(host, 53)).unwrap();
            let http = ground.here(SocketAddr::new(host, 80)).unwrap();
            servers.push((UdpSocket::bind(dns).await.unwrap(), TcpListener::bind(http).await.unwrap(), host));
        }
        all_bound();
        for (udp, tcp, host) in &servers {
            let source = ground.here(SocketAddr::new(*host, 0)).unwrap();
            let client = UdpSocket::bind(source).await.unwrap();
            client.send_to(b"?", udp.local_addr().unwrap()).await.unwrap();
            let mut buffer = [0; 16];
            let (_, peer) = udp.recv_from(&mut buffer).await.unwrap();
            assert_eq!(ground.lab_address(peer.ip()), *host, "the server sees the client's lab address");
            udp.send_to(name.as_bytes(), peer).await.unwrap();
            let (length, _) = client.recv_from(&mut buffer).await.unwrap();
            assert_eq!(&buffer[..length], name.as_bytes());

            let socket = if host.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }.unwrap();
            socket.bind(source).unwrap();
            let (client, server) = tokio::join!(socket.connect(tcp.local_addr().unwrap()), tcp.accept());
            let (mut server, peer) = server.unwrap();
            assert_eq!(ground.lab_address(peer.ip()), *host);
            server.write_all(name.as_bytes()).await.unwrap();
            drop(server);
            let mut said = String::new();
            client.unwrap().read_to_string(&mut said).await.unwrap();
            assert_eq!(said, name);
        }
        servers.len()
    }

    /// Two labs with the same addresses and ports, which both have bound all of them before either asks.
    fn two_labs_do_not_meet(kind: GroundKind) -> Result<(), GroundError> {
        let ((tell_b, a_is_bound), (tell_a, b_is_bound)) = (mpsc::channel(), mpsc::channel());
        let lab = move |name: &'static str, tell: mpsc::Sender<()>, wait: mpsc::Receiver<()>| {
            on_a_lab_thread(async move || {
                let ground = Ground::open(kind, &hosts()).await?;
                let meet = || {
                    tell.send(()).unwrap();
                    wait.recv().unwrap();
                };
                Ok::<usize, GroundError>(says_its_name_everywhere(&ground, name, meet).await)
            })
        };
        let labs = [lab("a", tell_b, b_is_bound), lab("b", tell_a, a_is_bound)];
        for lab in labs {
            assert!(lab.join().unwrap()? >= 1);
        }
        Ok(())
    }

    #[test]
    fn two_labs_on_loopback_with_the_same_addresses_do_not_meet() {
        two_labs_do_not_meet(GroundKind::Loopback).unwrap();
    }

    #[test]
    fn two_labs_in_namespaces_with_the_same_addresses_do_not_meet() {
        match two_labs_do_not_meet(GroundKind::Namespace) {
            Ok(()) => {}
            Err(GroundError::NoNamespace { reason }) => eprintln!("left out: {reason}"),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn loopback_connects_to_ipv4_only() {
        let ground = on_a_lab_thread(|| async { Ground::open(GroundKind::Loopback, &hosts()).await.unwrap() });
        let ground = ground.join().unwrap();
        assert_eq!(ground.families(), [Family::A]);
        assert_eq!(ground.here(SocketAddr::new(hosts()[1], 53)), None);
    }

    #[test]
    fn a_namespace_is_refused_to_a_runtime_that_others_share() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let Ok(runtime) = runtime else { return };
        let opened = runtime.block_on(async { Ground::open(GroundKind::Namespace, &hosts()).await });
        assert!(matches!(opened, Err(GroundError::NotALabThread { .. })));
    }
}
