//! Addresses as Toxiproxy takes them: `127.0.0.1:26379`, `localhost:0`, `:8080` for every interface, or nothing at all.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use tokio::net::{TcpListener, TcpStream, lookup_host};

use crate::node::connections;

/// Finds the socket address that a proxy is to listen at.
///
/// # Errors
/// When the name cannot be resolved, or it is no address at all.
pub(super) async fn resolve(listen: &str) -> io::Result<SocketAddr> {
    if let Ok(address) = listen.parse() {
        return Ok(address);
    }
    let every_interface = IpAddr::V6(Ipv6Addr::UNSPECIFIED);
    if listen.is_empty() {
        return Ok(SocketAddr::new(every_interface, 0));
    }
    if let Some(Ok(port)) = listen.strip_prefix(':').map(str::parse) {
        return Ok(SocketAddr::new(every_interface, port));
    }
    let told = |error| io::Error::other(format!("cannot listen at `{listen}`, which is no host and port: {error}"));
    let found: Vec<SocketAddr> = lookup_host(listen).await.map_err(told)?.collect();
    let first = found.iter().find(|address| address.is_ipv4()).or(found.first());
    first.copied().ok_or_else(|| told(io::Error::other("no address found")))
}

/// Listens there. Where there is no IPv6, every interface is every one of IPv4.
///
/// # Errors
/// When the address cannot be bound.
pub(super) fn listen(at: SocketAddr) -> io::Result<TcpListener> {
    match connections::listen(at) {
        Err(_) if at.ip() == Ipv6Addr::UNSPECIFIED => {
            connections::listen(SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), at.port()))
        }
        bound => bound,
    }
}

/// Connects to the server behind a proxy; a port alone is one of this machine.
///
/// # Errors
/// When there is no connection.
pub(super) async fn connect(upstream: &str) -> io::Result<TcpStream> {
    let stream = match upstream.strip_prefix(':') {
        Some(port) => TcpStream::connect(format!("localhost:{port}")).await?,
        None => TcpStream::connect(upstream).await?,
    };
    stream.set_nodelay(true)?;
    Ok(stream)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_every_form_are_resolved_and_what_is_none_is_told() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            for (listen, address) in [
                ("127.0.0.1:7", "127.0.0.1:7"),
                ("[::1]:7", "[::1]:7"),
                ("localhost:7", "127.0.0.1:7"),
                (":7", "[::]:7"),
                ("", "[::]:0"),
            ] {
                assert_eq!(resolve(listen).await.unwrap().to_string(), address, "{listen}");
            }
            let error = resolve("nowhere").await.unwrap_err().to_string();
            assert!(error.contains("`nowhere`"), "{error}");
        });
    }
}
