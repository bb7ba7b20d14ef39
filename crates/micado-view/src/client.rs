//! A client of the socket: acts as a page does, for benches and tests.

use crate::protocol::{Array, Head, NO_CHANNEL, PLAYING, Record, Value as Wire};
pub use crate::protocol::{ConstraintNumbers, ContactNumbers, GaugeNumbers, LoadNumbers, SpringNumbers};
use serde_json::{Value, json};
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};
use tungstenite::client::IntoClientRequest;
use tungstenite::http::{HeaderValue, header};
use tungstenite::{Error, Message, WebSocket};

/// Time limit of a wait.
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

/// Something received.
#[derive(Clone, Debug, PartialEq)]
pub enum Came {
    /// A frame.
    Frame,
    /// A message.
    Told(Value),
}

impl Client {
    /// Connects as a page of the server.
    ///
    /// # Errors
    /// Nothing listens there, or the server refuses the connection.
    pub fn connect(address: SocketAddr) -> io::Result<Self> {
        Self::connect_as(address, "/ws", &address.to_string(), &format!("http://{address}"))
    }

    /// Connects with a given path, `Host` and `Origin`.
    ///
    /// # Errors
    /// Nothing listens there, or the server refuses the connection.
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

    /// Sends a text unchanged.
    ///
    /// # Errors
    /// The connection is closed.
    pub fn send_text(&mut self, text: &str) -> io::Result<()> {
        self.socket.send(Message::text(text)).map_err(gone)
    }

    /// Sends bytes unchanged.
    ///
    /// # Errors
    /// The connection is closed.
    pub fn send_bytes(&mut self, bytes: Vec<u8>) -> io::Result<()> {
        self.socket.send(Message::binary(bytes)).map_err(gone)
    }

    /// Sends a request without waiting for the answer; returns its number.
    ///
    /// # Errors
    /// The connection is closed.
    pub fn send(&mut self, what: &Value) -> io::Result<i64> {
        self.asked += 1;
        self.send_text(&json!({ "id": self.asked, "do": what }).to_string())?;
        Ok(self.asked)
    }

    /// Sends a request and waits for the answer: `ok`, or the error.
    ///
    /// # Errors
    /// The connection is closed.
    pub fn ask(&mut self, what: &Value) -> io::Result<Result<Value, Value>> {
        let id = self.send(what)?;
        let answer = self.until(|message| message["answer"] == id)?;
        Ok(match answer.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(answer["ok"].clone()),
        })
    }

    /// Reads until a message fits; returns it.
    ///
    /// # Errors
    /// The connection is closed, or nothing fits within half a minute.
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
    /// The connection is closed, or nothing fits within half a minute.
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
    /// The connection is closed, or nothing is received within half a minute.
    pub fn read(&mut self) -> io::Result<Came> {
        let begun = Instant::now();
        // Pings are received all the time.
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

    /// The head of the newest frame; all 0 before the first one.
    fn head(&self) -> Head {
        Head::read(&self.frame).unwrap_or_default()
    }

    /// The bytes of the newest frame from item `k` of an array on.
    fn item(&self, array: Array, k: usize) -> &[u8] {
        let begin = Array::begin(Some(array), &self.head()) + array.item_size() * k;
        self.frame.get(begin..).unwrap_or_default()
    }

    /// Simulated time of the newest frame, s; NaN before the first one.
    pub fn time(&self) -> f64 {
        Head::read(&self.frame).map_or(f64::NAN, |head| head.time)
    }

    /// Number of the newest frame.
    pub fn number(&self) -> u64 {
        self.head().number
    }

    /// Whether the newest frame says that time runs.
    pub fn is_playing(&self) -> bool {
        self.head().flags & PLAYING != 0
    }

    /// Frame of the recording that the newest frame shows.
    pub fn recording_frame(&self) -> usize {
        self.head().recording_frame as usize
    }

    /// Points of the newest frame.
    pub fn points(&self) -> usize {
        self.head().points as usize
    }

    /// Index of the channel of the newest frame; `None` if it has no values.
    pub fn channel(&self) -> Option<usize> {
        Some(self.head().channel).filter(|channel| *channel != NO_CHANNEL).map(|channel| channel as usize)
    }

    /// Value of a probe in the newest frame.
    pub fn probe(&self, k: usize) -> f64 {
        <f64 as Wire>::take(&mut self.item(Array::Probes, k)).unwrap_or(f64::NAN)
    }

    /// Position of a point in the newest frame, m.
    pub fn point(&self, k: usize) -> [f32; 3] {
        Wire::take(&mut self.item(Array::Positions, k)).unwrap_or([f32::NAN; 3])
    }

    /// Orientation x, y, z, w of a body in the newest frame.
    pub fn orientation(&self, k: usize) -> [f32; 4] {
        Wire::take(&mut self.item(Array::Orientations, k)).unwrap_or([f32::NAN; 4])
    }

    /// A constraint in the newest frame.
    pub fn constraint(&self, k: usize) -> ConstraintNumbers {
        ConstraintNumbers::read(self.item(Array::Constraints, k)).unwrap_or_default()
    }

    /// A spring in the newest frame.
    pub fn spring(&self, k: usize) -> SpringNumbers {
        SpringNumbers::read(self.item(Array::Springs, k)).unwrap_or_default()
    }

    /// A load in the newest frame.
    pub fn load(&self, k: usize) -> LoadNumbers {
        LoadNumbers::read(self.item(Array::Loads, k)).unwrap_or_default()
    }

    /// A gauge of the newest frame.
    pub fn gauge(&self, k: usize) -> GaugeNumbers {
        GaugeNumbers::read(self.item(Array::Gauges, k)).unwrap_or_default()
    }

    /// Number of contacts in the newest frame.
    pub fn contacts(&self) -> usize {
        self.head().contacts as usize
    }

    /// A contact in the newest frame.
    pub fn contact(&self, k: usize) -> ContactNumbers {
        ContactNumbers::read(self.item(Array::Contacts, k)).unwrap_or_default()
    }

    /// The newest frame without its head: number and real-time factor differ in every frame.
    pub fn body(&self) -> &[u8] {
        self.frame.get(Head::SIZE..).unwrap_or_default()
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
        self.told.get("table").is_some_and(|table| table["serial"] == self.head().serial)
    }
}

fn gone(error: Error) -> io::Error {
    match error {
        Error::Io(error) => error,
        other => io::Error::other(other),
    }
}
