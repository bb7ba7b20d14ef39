//! The server: pages, pictures and sockets on one address.

mod assets;
mod guard;
mod socket;

use crate::protocol::Problem;
use crate::session::{Asked, Opening, Session, Shared};
use axum::serve::ListenerExt;
use guard::Guard;
use micado_io::record::Recording;
use micado_io::scene::SceneFile;
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::oneshot;

/// The port that is tried first.
pub const PORT: u16 = 7878;
/// Number of further ports that are tried.
const MORE_PORTS: u16 = 100;
/// Bytes of frames that the kernel buffers for a page: with more, a slow page would show old frames.
const SEND_BUFFER: u32 = 256 << 10;

/// The initial scene or recording.
#[derive(Debug)]
pub enum Show {
    /// A scene, built in or from a file.
    Scene {
        /// The scene.
        file: Box<SceneFile>,
        /// Whether it is a built-in one.
        builtin: bool,
    },
    /// A recording, played back.
    Recording {
        /// The recording.
        recording: Box<Recording>,
        /// Its name.
        name: String,
    },
}

/// Options of a server.
#[derive(Debug)]
pub struct Options {
    /// The initial scene or recording.
    pub show: Show,
    /// Address to bind to; by default the loopback. Beyond the loopback a token is required.
    pub host: Option<IpAddr>,
    /// File into which the displayed frames are recorded.
    pub record: Option<PathBuf>,
    /// Port; 0 for any free one; by default 7878 or the next free one.
    pub port: Option<u16>,
}

/// The reason why a server can't start.
#[derive(Debug)]
pub enum ServeError {
    /// The scene or recording can't be built: problem and remedy.
    Show(String, String),
    /// The address is not available.
    Address(SocketAddr, io::Error),
    /// The operating system provides no thread or no random number.
    System(io::Error),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Show(problem, remedy) => write!(f, "{problem}; {remedy}"),
            Self::Address(address, error) => write!(f, "{address} can't be served: {error}"),
            Self::System(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for ServeError {}

impl From<Problem> for ServeError {
    fn from(problem: Problem) -> Self {
        Self::Show(problem.problem, problem.remedy)
    }
}

/// Shared data of all connections.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) guard: Guard,
    pub(crate) shared: Arc<Shared>,
    pub(crate) asked: Sender<Asked>,
    /// Number of the next page, and number of connected pages.
    pub(crate) next_page: AtomicU64,
    pub(crate) pages: AtomicUsize,
}

/// A server with its own threads, which stop when it is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    token: Option<String>,
    asked: Sender<Asked>,
    /// Completes when the server has stopped.
    served: Option<oneshot::Receiver<()>>,
    threads: Vec<JoinHandle<()>>,
}

impl Server {
    /// Binds, opens the scene or recording, and serves.
    ///
    /// # Errors
    /// The scene can't be built, or the address is not available.
    pub fn start(options: Options) -> Result<Self, ServeError> {
        let opening = match options.show {
            Show::Scene { file, builtin } => Opening::Scene { file, builtin },
            Show::Recording { recording, name } => Opening::Recording { recording, name },
        };
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(ServeError::System)?;
        let host = options.host.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
        // Before a recording starts, which truncates its file.
        let listener = runtime.block_on(async { bind(host, options.port) })?;
        let address = listener.local_addr().map_err(ServeError::System)?;
        let (asked, received) = channel();
        let shared = Arc::new(Shared::new());
        let session = Session::open(opening, options.record, received, shared.clone())?;
        let guard = Guard::new(address).map_err(ServeError::System)?;
        let token = guard.token().map(str::to_owned);
        let site = Arc::new(Site {
            guard,
            shared,
            asked: asked.clone(),
            next_page: AtomicU64::new(1),
            pages: AtomicUsize::new(0),
        });
        let spawn = |name: &str, work: Box<dyn FnOnce() + Send>| {
            std::thread::Builder::new().name(name.to_owned()).spawn(work).map_err(ServeError::System)
        };
        // Each thread ends when its sender is dropped: the server after the simulation, `wait` after the
        // server.
        let (simulates, simulated) = oneshot::channel::<()>();
        let (serves, served) = oneshot::channel::<()>();
        let steps = spawn(
            "simulation",
            Box::new(move || {
                session.run();
                drop(simulates);
            }),
        )?;
        let serving = spawn(
            "server",
            Box::new(move || {
                runtime.block_on(async move {
                    let service = socket::router(site);
                    // Sends small messages without delay; if this fails, the socket is only slower.
                    let listener = listener.tap_io(|socket| drop(socket.set_nodelay(true)));
                    tokio::select! {
                        // An error here means that the listener failed; no page can be notified.
                        _ = async { axum::serve(listener, service).await } => {}
                        _ = simulated => {}
                    }
                });
                runtime.shutdown_background();
                drop(serves);
            }),
        )?;
        Ok(Self { address, token, asked, served: Some(served), threads: vec![steps, serving] })
    }

    /// The address of the listener.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of the page, with its token if one is required. For a server on all addresses, one that others
    /// can reach.
    pub fn url(&self) -> String {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(outward_address(address.is_ipv4()).unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST)));
        }
        match &self.token {
            None => format!("http://{address}/"),
            Some(token) => format!("http://{address}/?token={token}"),
        }
    }

    /// The token that is required beyond the loopback.
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Serves until the process is interrupted (Ctrl-C), then stops cleanly: recordings are complete, and
    /// temporary files are removed.
    ///
    /// # Errors
    /// The server has stopped without an interrupt, which is an error in Micado.
    pub fn wait(mut self) -> Result<(), ServeError> {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(ServeError::System)?;
        let Some(served) = self.served.take() else { return Ok(()) };
        runtime.block_on(async {
            tokio::select! {
                result = interrupted() => result.map_err(ServeError::System),
                _ = served => {
                    let text = "the server has stopped, which is an error in Micado";
                    Err(ServeError::System(io::Error::other(text)))
                }
            }
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Fails only if the session has ended.
        let _ = self.asked.send(Asked::Stop);
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}

/// Completes when the process is interrupted.
async fn interrupted() -> io::Result<()> {
    #[cfg(unix)]
    {
        let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
        tokio::select! {
            result = tokio::signal::ctrl_c() => result,
            _ = terminate.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}

/// The address of this machine in its network, if there is one. Nothing is sent: the target is a
/// documentation address.
fn outward_address(is_ipv4: bool) -> Option<IpAddr> {
    let (own, other) = if is_ipv4 { ("0.0.0.0:0", "192.0.2.1:9") } else { ("[::]:0", "[2001:db8::1]:9") };
    let socket = std::net::UdpSocket::bind(own).ok()?;
    socket.connect(other).ok()?;
    socket.local_addr().ok().map(|address| address.ip())
}

/// Binds to a port, or to the first free one from the default on.
fn bind(host: IpAddr, port: Option<u16>) -> Result<TcpListener, ServeError> {
    let first = port.unwrap_or(PORT);
    let last = if port.is_some() { first } else { first.saturating_add(MORE_PORTS) };
    let mut refused = None;
    for port in first..=last {
        let address = SocketAddr::new(host, port);
        match listen(address) {
            Ok(listener) => return Ok(listener),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                refused.get_or_insert((address, error));
            }
            Err(error) => return Err(ServeError::Address(address, error)),
        }
    }
    let (address, error) = refused.unwrap_or((SocketAddr::new(host, first), io::ErrorKind::AddrInUse.into()));
    Err(ServeError::Address(address, error))
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(cfg!(unix))?;
    // Connections inherit it.
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind(address)?;
    socket.listen(128)
}
