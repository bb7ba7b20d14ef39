//! A client of the socket: what a page does, without the page. Benches and tests use it.

use serde_json::{Value, json};
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};
use tungstenite::client::IntoClientRequest;
use tungstenite::http::{HeaderValue, header};
use tungstenite::{Error, Message, WebSocket};

/// How long something is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// A page's end of the socket.
#[derive(Debug)]
pub struct Client {
    socket: WebSocket<TcpStream>,
    asked: i64,
    /// The newest frame, as bytes.
    pub frame: Vec<u8>,
    /// The newest message of each kind, by its word.
    pub told: serde_json::Map<String, Value>,
    /// Frames so far.
    pub frames: u64,
    /// Events so far.
    pub events: Vec<Value>,
}

/// What came.
#[derive(Clone, Debug, PartialEq)]
pub enum Came {
    /// A frame.
    Frame,
    /// A message.
    Told(Value),
}

impl Client {
    /// Connects as a page of the server does.
    ///
    /// # Errors
    /// Nobody listens, or the server turns it away.
    pub fn connect(address: SocketAddr) -> io::Result<Self> {
        Self::connect_as(address, "/ws", &address.to_string(), &format!("http://{address}"))
    }

    /// Connects with a path, a `Host` and an `Origin` of one's own.
    ///
    /// # Errors
    /// Nobody listens, or the server turns it away.
    pub fn connect_as(address: SocketAddr, path: &str, host: &str, origin: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut request = format!("ws://{address}{path}").into_client_request().map_err(io::Error::other)?;
        let value = |text: &str| HeaderValue::from_str(text).map_err(io::Error::other);
        request.headers_mut().insert(header::HOST, value(host)?);
        request.headers_mut().insert(header::ORIGIN, value(origin)?);
        let (socket, _) = tungstenite::client(request, stream).map_err(io::Error::other)?;
        let told = serde_json::Map::new();
        Ok(Self { socket, asked: 0, frame: Vec::new(), told, frames: 0, events: Vec::new() })
    }

    /// Sends a text as it is.
    ///
    /// # Errors
    /// The server has gone.
    pub fn send_text(&mut self, text: &str) -> io::Result<()> {
        self.socket.send(Message::text(text)).map_err(gone)
    }

    /// Sends bytes as they are.
    ///
    /// # Errors
    /// The server has gone.
    pub fn send_bytes(&mut self, bytes: Vec<u8>) -> io::Result<()> {
        self.socket.send(Message::binary(bytes)).map_err(gone)
    }

    /// Asks for something without waiting for the answer; gives its number.
    ///
    /// # Errors
    /// The server has gone.
    pub fn send(&mut self, what: &Value) -> io::Result<i64> {
        self.asked += 1;
        self.send_text(&json!({ "id": self.asked, "do": what }).to_string())?;
        Ok(self.asked)
    }

    /// Asks for something and waits for the answer: `ok`, or the error.
    ///
    /// # Errors
    /// The server has gone.
    pub fn ask(&mut self, what: &Value) -> io::Result<Result<Value, Value>> {
        let id = self.send(what)?;
        let answer = self.until(|message| message["answer"] == id)?;
        Ok(match answer.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(answer["ok"].clone()),
        })
    }

    /// Reads until a message fits; gives it.
    ///
    /// # Errors
    /// The server has gone, or nothing came in half a minute.
    pub fn until(&mut self, fits: impl Fn(&Value) -> bool) -> io::Result<Value> {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if let Came::Told(message) = self.read()?
                && fits(&message)
            {
                return Ok(message);
            }
        }
        Err(io::Error::other("no message fits"))
    }

    /// Reads until a frame fits.
    ///
    /// # Errors
    /// The server has gone, or nothing came in half a minute.
    pub fn until_frame(&mut self, fits: impl Fn(&Self) -> bool) -> io::Result<()> {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if self.read()? == Came::Frame && fits(self) {
                return Ok(());
            }
        }
        Err(io::Error::other("no frame fits"))
    }

    /// Reads one message or frame.
    ///
    /// # Errors
    /// The server has gone, or nothing came in half a minute.
    pub fn read(&mut self) -> io::Result<Came> {
        let begun = Instant::now();
        // Pings come whatever else does.
        while begun.elapsed() < PATIENCE {
            match self.socket.read().map_err(gone)? {
                Message::Binary(bytes) => {
                    self.frame.clear();
                    self.frame.extend_from_slice(&bytes);
                    self.frames += 1;
                    return Ok(Came::Frame);
                }
                Message::Text(text) => {
                    let message: Value = serde_json::from_str(&text).map_err(io::Error::other)?;
                    for (word, what) in message.as_object().into_iter().flatten() {
                        if word == "events" {
                            self.events.extend(what.as_array().cloned().unwrap_or_default());
                        }
                        self.told.insert(word.clone(), what.clone());
                    }
                    return Ok(Came::Told(message));
                }
                Message::Close(_) => return Err(io::ErrorKind::ConnectionAborted.into()),
                _ => {}
            }
        }
        Err(io::ErrorKind::TimedOut.into())
    }

    /// A number of the head of the newest frame: `u32` at a byte.
    pub fn u32_at(&self, at: usize) -> u32 {
        self.frame.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_le_bytes)
    }

    /// `f64` at a byte of the newest frame.
    pub fn f64_at(&self, at: usize) -> f64 {
        self.frame
            .get(at..at + 8)
            .and_then(|bytes| bytes.try_into().ok())
            .map_or(f64::NAN, f64::from_le_bytes)
    }

    /// `f32` at a byte of the newest frame.
    pub fn f32_at(&self, at: usize) -> f32 {
        self.frame
            .get(at..at + 4)
            .and_then(|bytes| bytes.try_into().ok())
            .map_or(f32::NAN, f32::from_le_bytes)
    }

    /// Simulated time of the newest frame, s.
    pub fn time(&self) -> f64 {
        self.f64_at(16)
    }

    /// Number of the newest frame.
    pub fn number(&self) -> u64 {
        self.frame.get(8..16).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes)
    }

    /// Whether time goes on in the newest frame.
    pub fn is_playing(&self) -> bool {
        self.u32_at(60) & 1 == 1
    }

    /// Points of the newest frame.
    pub fn points(&self) -> usize {
        self.u32_at(32) as usize
    }

    /// Value of a probe in the newest frame.
    pub fn probe(&self, k: usize) -> f64 {
        self.f64_at(64 + 8 * k)
    }

    /// Position of a point in the newest frame, m.
    pub fn point(&self, k: usize) -> [f32; 3] {
        let begin = 64 + 8 * self.u32_at(48) as usize + 12 * k;
        [0, 4, 8].map(|shift| self.f32_at(begin + shift))
    }

    /// The 20 numbers of a constraint in the newest frame.
    pub fn constraint(&self, k: usize) -> [f32; 20] {
        let per_point = if self.u32_at(52) == u32::MAX { 20 } else { 24 };
        let begin = 64 + 8 * self.u32_at(48) as usize + per_point * self.points() + 80 * k;
        std::array::from_fn(|i| self.f32_at(begin + 4 * i))
    }

    /// Index of a constraint in the newest table.
    pub fn constraint_index(&self, name: &str) -> Option<usize> {
        self.told.get("table")?["constraints"]
            .as_array()?
            .iter()
            .position(|constraint| constraint["name"] == name)
    }

    /// Whether the newest frame belongs to the newest table.
    pub fn is_matched(&self) -> bool {
        self.told.get("table").is_some_and(|table| table["serial"] == self.u32_at(4))
    }
}

fn gone(error: Error) -> io::Error {
    match error {
        Error::Io(error) => error,
        other => io::Error::other(other),
    }
}
