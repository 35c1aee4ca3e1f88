//! Whom an HTTP probe says it asks: the `Host` header, and the name in the client hello (R53-117, R53-118).

use std::net::IpAddr;

use super::endpoint_check::{CheckProtocol, EndpointCheck};

const HTTP_PORT: u16 = 80;
const HTTPS_PORT: u16 = 443;

impl EndpointCheck {
    /// The `Host` header: the name, with the port unless it is the protocol's own; without a name the address. An
    /// endpoint by name has one in any case. A TCP probe sends none (R53-118).
    #[must_use]
    pub fn host_header(&self, endpoint_name: Option<&str>, address: Option<IpAddr>) -> Option<String> {
        let CheckProtocol::Http { tls, .. } = &self.protocol else { return None };
        let own_port = if tls.is_some() { HTTPS_PORT } else { HTTP_PORT };
        Some(match (self.name(endpoint_name), address) {
            (Some(name), _) if self.port == own_port => name.to_owned(),
            (Some(name), _) => format!("{name}:{}", self.port),
            (None, Some(IpAddr::V6(address))) => format!("[{address}]"),
            (None, address) => address.map(|address| address.to_string()).unwrap_or_default(),
        })
    }

    /// The name in the client hello of an HTTPS probe; `None` without one, with SNI off, and without TLS (R53-117).
    #[must_use]
    pub fn server_name<'n>(&'n self, endpoint_name: Option<&'n str>) -> Option<&'n str> {
        let CheckProtocol::Http { tls: Some(tls), .. } = &self.protocol else { return None };
        self.name(endpoint_name).filter(|_| tls.sni)
    }

    fn name<'n>(&'n self, endpoint_name: Option<&'n str>) -> Option<&'n str> {
        let CheckProtocol::Http { host, .. } = &self.protocol else { return None };
        host.as_deref().or(endpoint_name).map(|name| name.trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::endpoint_check::Tls;
    use super::*;

    fn check(port: u16, host: Option<&str>, tls: Option<Tls>) -> EndpointCheck {
        let protocol = CheckProtocol::Http { path: "/".into(), host: host.map(str::to_owned), tls, search: None };
        EndpointCheck { protocol, port, interval: Duration::from_secs(30), failure_threshold: 3 }
    }

    #[test]
    fn r53_118_the_host_header_is_the_name_and_the_port_unless_it_is_the_protocols_own() {
        let (plain, tls) = (None, Some(Tls { sni: true }));
        let header = |port, host, tls| check(port, host, tls).host_header(None, "203.0.113.10".parse().ok()).unwrap();
        assert_eq!(header(80, Some("a.example"), plain), "a.example");
        assert_eq!(header(443, Some("a.example"), plain), "a.example:443");
        assert_eq!(header(443, Some("a.example"), tls), "a.example");
        assert_eq!(header(80, Some("a.example"), tls), "a.example:80");
        assert_eq!(header(8081, Some("a.example"), plain), "a.example:8081");
        assert_eq!(header(8081, None, plain), "203.0.113.10");
        assert_eq!(header(443, None, tls), "203.0.113.10");
        let v6 = check(80, None, None).host_header(None, "2001:db8::1".parse().ok());
        assert_eq!(v6.as_deref(), Some("[2001:db8::1]"));
        let by_name = |host| check(80, host, None).host_header(Some("site.example."), None).unwrap();
        assert_eq!((by_name(None).as_str(), by_name(Some("a.example")).as_str()), ("site.example", "a.example"));
        let tcp = EndpointCheck { protocol: CheckProtocol::Tcp, ..check(80, None, None) };
        assert_eq!(tcp.host_header(Some("a.example."), None), None);
    }

    #[test]
    fn r53_117_the_name_is_in_the_client_hello_with_sni_alone() {
        let named = |tls| check(443, None, tls).server_name(Some("a.example.")).map(str::to_owned);
        assert_eq!(named(Some(Tls { sni: true })).as_deref(), Some("a.example"));
        assert_eq!(named(Some(Tls { sni: false })), None);
        assert_eq!(named(None), None);
    }
}
