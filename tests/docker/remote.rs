//! An engine that is named by an address: its published ports are reached there, and strangers who reach them get nothing.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

use bollard::query_parameters::ListContainersOptions;
use muster::images::Engine;
use tokio::net::{TcpListener, UnixStream};

use crate::desk::{Desk, Running, code, muster, said, the_only_lab};
use crate::engine::{everything, is_as_before, of_process};

/// Where the engine is put: a loopback, but not that of an engine of this machine.
const ELSEWHERE: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
/// How long a stranger waits for an answer: longer than a hub waits for its token.
const PATIENCE: Duration = Duration::from_secs(20);
/// A lab of containers only has to run here, and quickly.
const SPEED: &str = "8";

pub(crate) fn the_ports_of_an_engine_with_an_address_are_reached_there_and_by_who_leads_alone() {
    let Some(socket) = socket() else {
        eprintln!("left out: DOCKER_HOST names an engine by its address already, so every other trial shows this");
        return;
    };
    let _lab = the_only_lab();
    let before = everything();
    let desk = Desk::new();
    let mut command = desk.command("routing-control", &["--lab", "docker", "--speed", SPEED]);
    command.env("DOCKER_HOST", format!("tcp://{}", in_front_of(socket)));
    let mut run = Running::start(command);
    run.until("the lab is ready");
    let process = run.child.id();

    let ports = published(process);
    assert_eq!(ports.len(), 2, "the hub's, for who leads and for switches: {ports:?}");
    for port in &ports {
        assert_eq!(port.ip(), IpAddr::from(ELSEWHERE));
        assert_eq!(heard_by_a_stranger(*port), "", "{port} answers a stranger");
    }
    // A switch is reached all the same, by who has the run's folder.
    let listed = muster().arg("control").arg(&desk.folders()[0]).output().unwrap();
    assert!(said(&listed).contains(" is on"), "{}", said(&listed));

    let output = run.end();
    // 3: the machine was too busy to tell.
    assert!([0, 3].contains(&code(&output)), "{}", said(&output));
    is_as_before(&before, process);
}

/// The socket of the engine that the other trials use; `None` when it has none.
fn socket() -> Option<PathBuf> {
    let host = std::env::var("DOCKER_HOST").ok().filter(|host| !host.is_empty());
    let host = host.unwrap_or_else(|| "unix:///var/run/docker.sock".to_owned());
    host.strip_prefix("unix://").map(PathBuf::from)
}

/// Passes whoever comes on to this socket; where to come to. It goes on until this process ends.
fn in_front_of(socket: PathBuf) -> SocketAddr {
    let (tell, at) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let door = TcpListener::bind((ELSEWHERE, 0)).await.unwrap();
            tell.send(door.local_addr().unwrap()).unwrap();
            loop {
                let (mut near, _) = door.accept().await.unwrap();
                let socket = socket.clone();
                tokio::spawn(async move {
                    let mut far = UnixStream::connect(socket).await.unwrap();
                    let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
                });
            }
        });
    });
    at.recv().unwrap()
}

/// Where the engine publishes what of the containers of this process.
fn published(process: u32) -> BTreeSet<SocketAddr> {
    let names: Vec<String> = of_process(process).into_iter().map(|thing| thing.name).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let containers = runtime.block_on(async {
        let docker = Engine::reach().await.unwrap().docker();
        docker.list_containers(None::<ListContainersOptions>).await.unwrap()
    });
    let own = containers.into_iter().filter(|container| names.contains(&container.names.clone().unwrap().concat()));
    let ports = own.flat_map(|container| container.ports.unwrap_or_default());
    ports.filter_map(|port| Some(SocketAddr::new(port.ip?.parse().unwrap(), port.public_port?))).collect()
}

/// What somebody hears there who has no token, and asks for the switches.
fn heard_by_a_stranger(port: SocketAddr) -> String {
    // Nobody listens any more where somebody leads already.
    let Ok(mut stream) = TcpStream::connect(port) else { return String::new() };
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let _ = stream.write_all(b"GET /routing-controls HTTP/1.1\r\nHost: muster\r\nConnection: close\r\n\r\n");
    let mut heard = Vec::new();
    // One that is turned away may be reset, and is not kept waiting.
    if let Err(error) = stream.read_to_end(&mut heard) {
        assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset, "{error}");
    }
    String::from_utf8_lossy(&heard).into_owned()
}
