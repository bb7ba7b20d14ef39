//! Access control: `Host` has to be the server's own, `Origin` the same, and beyond the loopback a token is
//! required.

use axum::http::{HeaderMap, Uri, header};
use std::io;
use std::net::{IpAddr, SocketAddr};

/// Checks requests.
#[derive(Debug)]
pub(crate) struct Guard {
    address: SocketAddr,
    token: Option<String>,
}

impl Guard {
    /// The guard of a server at this address. Beyond the loopback it requires a token.
    pub(super) fn new(address: SocketAddr) -> io::Result<Self> {
        let token = if address.ip().is_loopback() { None } else { Some(crate::random_word()?) };
        Ok(Self { address, token })
    }

    pub(super) fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// The reason to refuse a request, if there is one.
    pub(super) fn objection(&self, uri: &Uri, headers: &HeaderMap) -> Option<&'static str> {
        let text =
            |name| headers.get(name).map(|value: &axum::http::HeaderValue| value.to_str().unwrap_or(""));
        let Some(host) = text(header::HOST).filter(|host| self.is_own(host)) else {
            return Some(
                "`Host` is not the address of this server: open the address that `micado view` printed",
            );
        };
        if text(header::ORIGIN).is_some_and(|origin| origin.strip_prefix("http://") != Some(host)) {
            return Some("`Origin` is another page: only the page of this server may connect");
        }
        // The other files of the page are the same for everybody, and not secret.
        if let Some(token) =
            self.token.as_ref().filter(|_| ["", "index.html", "ws"].contains(&uri.path().trim_matches('/')))
        {
            let given = uri.query().unwrap_or("").split('&').find_map(|pair| pair.strip_prefix("token="));
            if !given.is_some_and(|given| same(given.as_bytes(), token.as_bytes())) {
                return Some(
                    "the token is missing or wrong: open the whole address that `micado view` printed",
                );
            }
        }
        None
    }

    /// Whether a `host:port` is this server.
    fn is_own(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !name.ends_with(':') && (!name.contains(':') || name.ends_with(']')) => {
                (name, port.parse().ok())
            }
            _ => (host, Some(80)),
        };
        if port != Some(self.address.port()) {
            return false;
        }
        let ip = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().ok();
        match ip {
            // An IPv6 wildcard address accepts IPv4 too.
            Some(ip) if self.address.ip().is_unspecified() => ip.is_ipv4() || self.address.is_ipv6(),
            Some(ip) => ip == self.address.ip(),
            // Only this name always means the loopback. The owner of any other name could point it here.
            None => {
                name == "localhost" && (self.address.ip().is_loopback() || self.address.ip().is_unspecified())
            }
        }
    }
}

/// Compares in constant time.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::Guard;
    use axum::http::{HeaderMap, HeaderValue, Uri, header};

    fn objection(address: &str, uri: &str, host: &str, origin: Option<&str>) -> Option<&'static str> {
        let mut guard = Guard::new(address.parse().unwrap()).unwrap();
        guard.token = guard.token.map(|_| "secret".to_owned());
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_str(host).unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, HeaderValue::from_str(origin).unwrap());
        }
        guard.objection(&uri.parse::<Uri>().unwrap(), &headers)
    }

    #[test]
    fn only_the_page_of_this_server_is_accepted() {
        let here = "127.0.0.1:7878";
        assert_eq!(objection(here, "/", "127.0.0.1:7878", None), None);
        assert_eq!(objection(here, "/ws", "localhost:7878", Some("http://localhost:7878")), None);
        assert_eq!(objection("[::1]:7878", "/ws", "[::1]:7878", Some("http://[::1]:7878")), None);
        for (host, origin) in [
            ("evil.example:7878", None),
            ("127.0.0.1", None),
            ("127.0.0.1:80", None),
            ("127.0.0.1:7878", Some("http://evil.example")),
            ("127.0.0.1:7878", Some("https://127.0.0.1:7878")),
            ("127.0.0.1:7878", Some("null")),
            ("127.0.0.1:7878", Some("http://127.0.0.1:7879")),
            ("127.0.0.1:7878", Some("http://localhost:7878")),
            ("10.0.0.1:7878", None),
        ] {
            assert!(objection(here, "/ws", host, origin).is_some(), "{host} {origin:?}");
        }
    }

    #[test]
    fn beyond_the_loopback_a_token_is_required() {
        let everywhere = "0.0.0.0:7878";
        assert_eq!(objection(everywhere, "/?token=secret", "192.168.1.5:7878", None), None);
        assert_eq!(
            objection(
                everywhere,
                "/ws?a=b&token=secret",
                "192.168.1.5:7878",
                Some("http://192.168.1.5:7878")
            ),
            None
        );
        for uri in ["/", "/?token=", "/?token=secrat", "/?token=secret1", "/?tok=secret"] {
            assert!(objection(everywhere, uri, "192.168.1.5:7878", None).is_some(), "{uri}");
        }
        assert!(objection(everywhere, "/?token=secret", "evil.example:7878", None).is_some());
        // Another origin is refused, even if this server has that address too.
        let origin = Some("http://203.0.113.9:7878");
        assert!(objection(everywhere, "/ws?token=secret", "192.168.1.5:7878", origin).is_some());
        for uri in ["//", "///index.html", "//ws"] {
            assert!(objection(everywhere, uri, "192.168.1.5:7878", None).is_some(), "{uri}");
        }
        assert_eq!(objection("[::]:7878", "/?token=secret", "192.168.1.5:7878", None), None);
        assert_eq!(objection("[::]:7878", "/?token=secret", "[2001:db8::5]:7878", None), None);
    }
}
