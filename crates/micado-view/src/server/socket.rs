//! The socket of a page: receives requests, sends answers, the newest shot and the status.

use super::{Site, assets};
use crate::protocol::{self, Done, Hello, Message as Told, Problem, Request, Shot, channel_index, read};
use crate::session::{Answer, Answers, Asked, PageId, Reply};
use axum::Router;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Request as HttpRequest, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{interval, timeout};

/// Largest request, bytes, and largest one with a recording: 64 MiB in base64.
const LARGEST_REQUEST: usize = 4 << 20;
const LARGEST_RECORDING: usize = 88 << 20;
/// Largest number of pages.
const MOST_PAGES: usize = 64;
/// Largest number of unanswered requests of a page; further ones are not read until some are answered.
const MOST_WAITING: usize = 256;
/// Requests per second beyond which they are refused, and beyond which the page is disconnected.
const MOST_DONE: u32 = 2000;
const MOST_BORNE: u32 = 10_000;
/// Time limit for a page to accept a message, or to send one.
const PATIENCE: Duration = Duration::from_secs(30);
/// Interval of pings, which browsers answer automatically.
const PING_EVERY: Duration = Duration::from_secs(10);

/// All routes.
pub(super) fn router(site: Arc<Site>) -> Router {
    Router::new()
        .route("/ws", get(upgrade))
        .fallback(get(assets::serve))
        .layer(from_fn_with_state(site.clone(), check))
        .with_state(site)
}

/// Refuses forbidden requests, and adds security headers to responses.
async fn check(State(site): State<Arc<Site>>, request: HttpRequest, next: Next) -> Response {
    let mut response = match site.guard.objection(request.uri(), request.headers()) {
        Some(objection) => (StatusCode::FORBIDDEN, objection).into_response(),
        None => next.run(request).await,
    };
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, assets::POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn upgrade(State(site): State<Arc<Site>>, upgrade: WebSocketUpgrade) -> Response {
    let Some(seat) = Seat::take(site) else {
        return (
            StatusCode::SERVICE_UNAVAILABLE,
            format!("{MOST_PAGES} pages are connected already: close one"),
        )
            .into_response();
    };
    let upgrade = upgrade.max_message_size(LARGEST_RECORDING).max_frame_size(LARGEST_RECORDING);
    upgrade.on_upgrade(move |socket| Page::new(seat, socket).serve())
}

/// The slot of a page; freed when it is dropped.
struct Seat {
    site: Arc<Site>,
    page: PageId,
}

impl Seat {
    fn take(site: Arc<Site>) -> Option<Self> {
        let one_more = |pages| (pages < MOST_PAGES).then_some(pages + 1);
        site.pages.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).ok()?;
        let page = site.next_page.fetch_add(1, Ordering::Relaxed);
        Some(Self { site, page })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let pages = self.site.pages.fetch_sub(1, Ordering::Relaxed) - 1;
        // If the session has ended, the server ends too.
        let _ = self.site.asked.send(Asked::Left { page: self.page, pages });
    }
}

/// State of what a page has received.
#[derive(Debug, Default)]
struct Had {
    scene: u32,
    meshes: u32,
    table: u32,
    events: usize,
    channel: Option<usize>,
}

/// One page.
struct Page {
    seat: Seat,
    socket: WebSocket,
    /// Channel of the answers.
    answers: UnboundedReceiver<(Option<i64>, Answer)>,
    answer_here: Answers,
    /// Number of unanswered requests.
    owed: usize,
    had: Had,
    rate: Rate,
    /// Time of the last message from the page.
    heard: Instant,
}

/// The page has disconnected, or has to be disconnected.
struct Gone;

impl Page {
    fn new(seat: Seat, socket: WebSocket) -> Self {
        let (answer_here, answers) = unbounded_channel();
        Self {
            seat,
            socket,
            answers,
            answer_here,
            owed: 0,
            had: Had::default(),
            rate: Rate::default(),
            heard: Instant::now(),
        }
    }

    async fn serve(mut self) {
        let pages = self.seat.site.pages.load(Ordering::Relaxed);
        let _ = self.seat.site.asked.send(Asked::Came { pages });
        // After any end the page reconnects automatically.
        let _ = self.talk().await;
    }

    async fn talk(&mut self) -> Result<(), Gone> {
        let shared = self.seat.site.shared.clone();
        let (mut shots, mut status) = (shared.shots.subscribe(), shared.status.subscribe());
        let mut pings = interval(PING_EVERY);
        self.say(Told::Hello(Hello::new()).text()).await?;
        shots.mark_changed();
        status.mark_changed();
        loop {
            let has_room = self.owed < MOST_WAITING;
            // Answers come before the shots that show their effect; requests before shots, so that a page
            // that receives shots slowly is still served.
            tokio::select! {
                biased;
                Some((id, answer)) = self.answers.recv() => {
                    self.owed -= 1;
                    self.reply(id, answer).await?;
                }
                message = self.socket.recv(), if has_room => match message {
                    Some(Ok(message)) => self.receive(message)?,
                    Some(Err(_)) | None => return Err(Gone),
                },
                Ok(()) = shots.changed() => {
                    let shot = shots.borrow_and_update().clone();
                    self.show(&shot).await?;
                }
                Ok(()) = status.changed() => {
                    let status = status.borrow_and_update().clone();
                    if !status.is_empty() {
                        self.say(status.to_string()).await?;
                    }
                }
                _ = pings.tick() => {
                    if has_room && self.heard.elapsed() > PATIENCE {
                        return Err(Gone);
                    }
                    self.send(Message::Ping(Default::default())).await?;
                }
            }
        }
    }

    async fn send(&mut self, message: Message) -> Result<(), Gone> {
        match timeout(PATIENCE, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(Gone),
        }
    }

    async fn say(&mut self, text: String) -> Result<(), Gone> {
        self.send(Message::Text(text.into())).await
    }

    /// Sends the new parts of a shot: scene, meshes, table, events and frame.
    async fn show(&mut self, shot: &Shot) -> Result<(), Gone> {
        if shot.scene.number == 0 {
            return Ok(());
        }
        if shot.scene.number != self.had.scene {
            self.had.scene = shot.scene.number;
            self.had.events = 0;
            self.say(shot.scene.text.clone()).await?;
        }
        if shot.meshes.number != self.had.meshes {
            self.had.meshes = shot.meshes.number;
            self.say(shot.meshes.text.clone()).await?;
        }
        if shot.table.number != self.had.table {
            self.had.table = shot.table.number;
            self.say(shot.table.text.clone()).await?;
        }
        let (news, events) = shot.events.after(self.had.events);
        self.had.events = events;
        if !news.is_empty() {
            self.say(Told::Events(news).text()).await?;
        }
        self.send(Message::Binary(shot.bytes(self.had.channel))).await
    }

    async fn reply(&mut self, id: Option<i64>, answer: Answer) -> Result<(), Gone> {
        match answer {
            None => Ok(()),
            Some(result) => self.say(protocol::Answer::new(id, result).text()).await,
        }
    }

    /// Handles a message of the page.
    fn receive(&mut self, message: Message) -> Result<(), Gone> {
        self.heard = Instant::now();
        if matches!(message, Message::Ping(_) | Message::Pong(_)) {
            return Ok(());
        }
        let count = self.rate.count();
        if count > MOST_BORNE {
            return Err(Gone);
        }
        let (id, request) = match message {
            Message::Text(text) => parse_request(&text),
            Message::Close(_) => return Err(Gone),
            _ => Err((None, Problem::new("a binary message is not a request", "send JSON as a text"))),
        }
        .map_or_else(|(id, problem)| (id, Err(problem)), |(id, request)| (Some(id), Ok(request)));
        self.owed += 1;
        let reply = Reply::new(id, self.answer_here.clone());
        match request {
            Err(problem) => reply.send(Some(Err(problem))),
            Ok(_) if count > MOST_DONE => {
                reply.send(Some(Err(Problem::new(
                    "too many requests",
                    format!("send at most {MOST_DONE} in a second"),
                ))));
            }
            Ok(Request::Gallery) => reply.send(Some(Ok(Done::Gallery(assets::gallery())))),
            Ok(Request::Colour(name)) => reply.send(Some(self.colour(name.as_deref()))),
            Ok(request) => {
                return self
                    .seat
                    .site
                    .asked
                    .send(Asked::Request { page: self.seat.page, request, reply })
                    .map_err(|_| Gone);
            }
        }
        Ok(())
    }

    /// Selects the channel of the frames.
    fn colour(&mut self, name: Option<&str>) -> Result<Done, Problem> {
        let unknown =
            |name: &str| Problem::new(format!("there is no channel called `{name}`"), "`hello` lists them");
        self.had.channel = name.map(|name| channel_index(name).ok_or_else(|| unknown(name))).transpose()?;
        Ok(Done::Nothing)
    }
}

/// Parses a request; only recordings may be large.
fn parse_request(text: &str) -> Result<(i64, Request), (Option<i64>, Problem)> {
    let (id, request) = read(text)?;
    if text.len() > LARGEST_REQUEST && !matches!(&request, Request::Open(open) if open.recording.is_some()) {
        let problem = format!("a request of {} bytes", text.len());
        return Err((
            Some(id),
            Problem::new(
                problem,
                format!("send at most {LARGEST_REQUEST}, or a recording of at most 64 MiB"),
            ),
        ));
    }
    Ok((id, request))
}

/// Number of requests in the current second.
#[derive(Debug)]
struct Rate {
    since: Instant,
    count: u32,
}

impl Default for Rate {
    fn default() -> Self {
        Self { since: Instant::now(), count: 0 }
    }
}

impl Rate {
    fn count(&mut self) -> u32 {
        if self.since.elapsed() >= Duration::from_secs(1) {
            *self = Self::default();
        }
        self.count += 1;
        self.count
    }
}
