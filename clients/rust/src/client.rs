//! A bot on a server: one stream for all matches, opened again whenever it breaks.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::error::Error as _;
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};
use tokio::time::sleep;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};
use tonic::{Code, Request, Status, Streaming};

use crate::bot::{Bot, Profile};
use crate::dice::Dice;
use crate::options::{Options, read};
use crate::table::Table;
use crate::v1::play_request::Message as Sent;
use crate::v1::play_response::Message as Received;
use crate::v1::play_service_client::PlayServiceClient;
use crate::{Error, note, v1};

const KEEPALIVE: Duration = Duration::from_secs(30); // between pings, unless the server wants them further apart
const STEADY: Duration = Duration::from_secs(1); // after which a stream counts as a success, and delays begin anew
const BURST: Duration = Duration::from_millis(500); // worth of messages that may go at once
const LARGEST_MESSAGE: usize = 64 << 20; // the history of a long match, with texts

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
enum Wish {
    Play,
    Leave,
    Stop,
}

/// Tells a client to end, from anywhere.
#[derive(Clone, Debug)]
pub struct Handle(watch::Sender<Wish>);

impl Handle {
    /// Take no new matches, finish those that run, then end.
    pub fn leave(&self) {
        self.wish(Wish::Leave);
    }

    /// End now. Matches that run wait for the bot on the server, as long as its clock allows.
    pub fn stop(&self) {
        self.wish(Wish::Stop);
    }

    fn wish(&self, wish: Wish) {
        self.0.send_if_modified(|old| {
            let is_more = wish > *old;
            *old = if is_more { wish } else { *old };
            is_more
        });
    }
}

/// The newest decision of a match.
///
/// Streams are numbered, so that nothing is answered twice on one, and what the last one may have lost is sent again on the
/// next.
struct Open {
    sequence: i32,
    asked_on: u64,
    answer: Option<Sent>,
    sent_on: u64,
}

impl Open {
    fn new() -> Self {
        Self { sequence: -1, asked_on: 0, answer: None, sent_on: 0 }
    }
}

/// The match and the decision that a message asks about, and whether it is because an answer was refused.
struct Question {
    match_id: String,
    sequence: i32,
    is_repeated: bool,
}

/// Connects a bot to a server and keeps it there.
///
/// The bot thinks in a thread of its own; everything else happens in `run`, so nothing is locked.
pub struct Client {
    options: Options,
    profile: Profile,
    endpoint: Endpoint,
    authorization: Option<MetadataValue<Ascii>>,
    wishes: watch::Receiver<Wish>,
    handle: Handle,
    to_bot: mpsc::UnboundedSender<(Received, Instant)>,
    from_bot: mpsc::UnboundedReceiver<(Question, Option<Sent>)>,
    waiting: usize, // messages the bot has not taken in yet
    matches: HashMap<String, Open>,
    unheard: BTreeSet<String>, // matches the server has not named since the last reconnection
    to_name: i32,              // seats it will still name
    outbox: VecDeque<Sent>,
    stream: u64, // number of the current one
    is_welcome: bool,
    is_leaving: bool,
    rate: u32, // messages a second that the server takes; 0: not said
    dice: Dice,
}

impl Client {
    /// Fails if the options cannot be, or name files that cannot be read.
    pub fn new(bot: impl Bot, options: Options) -> Result<Self, Error> {
        options.check()?;
        let profile = bot.profile();
        let endpoint = endpoint(&options)?;
        let authorization = match options.token.as_str() {
            "" => None,
            token => Some(
                format!("Bearer {token}")
                    .parse()
                    .map_err(|_| Error::Option("this token is no text of letters".into()))?,
            ),
        };
        let (to_bot, inbox) = mpsc::unbounded_channel();
        let (outbox, from_bot) = mpsc::unbounded_channel();
        thread::spawn(move || work(Table::new(bot), inbox, &outbox));
        let (sender, wishes) = watch::channel(Wish::Play);
        Ok(Self {
            options,
            profile,
            endpoint,
            authorization,
            wishes,
            handle: Handle(sender),
            to_bot,
            from_bot,
            waiting: 0,
            matches: HashMap::new(),
            unheard: BTreeSet::new(),
            to_name: 0,
            outbox: VecDeque::new(),
            stream: 0,
            is_welcome: false,
            is_leaving: false,
            rate: 0,
            dice: Dice::default(),
        })
    }

    /// What ends this client from elsewhere.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Plays until `leave` has done its work, or `stop`. Fails if the server does not want this bot.
    pub async fn run(mut self) -> Result<(), Error> {
        let mut stop = self.wishes.clone();
        tokio::select! {
            biased;
            _ = stop.wait_for(|wish| *wish == Wish::Stop) => Ok(()),
            result = self.connect_again_and_again() => result,
        }
    }

    // -- Connecting --

    async fn connect_again_and_again(&mut self) -> Result<(), Error> {
        let mut attempt = 0;
        loop {
            let began = Instant::now();
            let status = self.play().await.err();
            self.is_welcome = false;
            self.hear_wishes();
            if self.is_leaving && self.matches.is_empty() {
                break;
            }
            let problem = self.judge(status.as_ref())?;
            attempt = if began.elapsed() > STEADY { 0 } else { attempt + 1 };
            let longest = self.options.first_delay.saturating_mul(1 << attempt.min(30)).min(self.options.longest_delay);
            let delay = longest.mul_f64(0.5 + 0.5 * self.dice.share()); // not all bots come back in the same moment
            let (server, seconds) = (&self.options.server, delay.as_secs_f64());
            note(&format!("no connection to {server}: {problem}; next attempt in {seconds:.1} s"));
            tokio::select! {
                () = sleep(delay) => {}
                () = left(&mut self.wishes), if !self.is_leaving && self.matches.is_empty() => break,
            }
        }
        while self.waiting > 0 && self.from_bot.recv().await.is_some() {
            self.waiting -= 1; // let the bot take in what came: the ends of the last matches
        }
        Ok(())
    }

    /// What to do about the end of a stream: fails with what cannot be helped, otherwise says why.
    fn judge(&self, status: Option<&Status>) -> Result<String, Error> {
        let Some(status) = status else { return Ok("the stream was closed".to_owned()) };
        let why = match status.code() {
            Code::Aborted => {
                let text = format!("another process plays as this bot now: {}", status.message());
                return Err(Error::Replaced(text));
            }
            Code::InvalidArgument => "the server does not accept this bot",
            Code::Unauthenticated => "the server does not accept the token",
            Code::PermissionDenied => "the token is not one of a bot",
            Code::Unimplemented => "this is no Hansa server",
            _ => return Ok(format!("{:?}: {}", status.code(), status.message())),
        };
        let lacks_token = status.code() == Code::Unauthenticated && self.authorization.is_none();
        let hint = if lacks_token { "; give it with --token-file or HANSA_TOKEN" } else { "" };
        Err(Error::Refused(format!("{}: {why}: {}{hint}", self.options.server, status.message())))
    }

    /// Opens a stream and plays on it until it ends.
    async fn play(&mut self) -> Result<(), Status> {
        // A connection of its own for every attempt, so that no delay of an older one is waited for.
        let channel = self.endpoint.connect().await.map_err(|error| {
            let cause = error.source().map(|source| format!(": {source}")).unwrap_or_default();
            Status::unavailable(format!("{error}{cause}"))
        })?;
        self.stream += 1;
        self.outbox.clear();
        let (sender, receiver) = mpsc::unbounded_channel();
        let _ = sender.send(v1::PlayRequest { message: Some(self.hello()) });
        let mut responses = self.call(channel, receiver).await?;
        let mut free = Instant::now(); // when the next message may go
        loop {
            let now = Instant::now();
            while free <= now && !self.outbox.is_empty() {
                let _ = sender.send(v1::PlayRequest { message: self.outbox.pop_front() });
                if self.rate > 0 {
                    free = free.max(now.checked_sub(BURST).unwrap_or(now)) + Duration::from_secs(1) / self.rate;
                }
            }
            tokio::select! {
                response = responses.message() => match response? {
                    // What a newer server may say beyond what is known here is passed over.
                    Some(response) => if let Some(message) = response.message { self.take(message) },
                    None => return Ok(()),
                },
                Some((question, reply)) = self.from_bot.recv() => self.take_reply(&question, reply),
                () = left(&mut self.wishes), if !self.is_leaving => self.hear_wishes(),
                () = sleep(free.saturating_duration_since(now)), if !self.outbox.is_empty() => {}
            }
        }
    }

    async fn call(
        &self,
        channel: Channel,
        receiver: mpsc::UnboundedReceiver<v1::PlayRequest>,
    ) -> Result<Streaming<v1::PlayResponse>, Status> {
        let mut request = Request::new(UnboundedReceiverStream::new(receiver));
        if let Some(authorization) = &self.authorization {
            request.metadata_mut().insert("authorization", authorization.clone());
        }
        let mut client = PlayServiceClient::new(channel).max_decoding_message_size(LARGEST_MESSAGE);
        Ok(client.play(request).await?.into_inner())
    }

    fn hello(&self) -> Sent {
        let (options, profile) = (&self.options, &self.profile);
        let own = if options.token.is_empty() { profile.name.clone() } else { String::new() };
        let view_format = if profile.views { v1::ViewFormat::Message } else { v1::ViewFormat::Unspecified };
        let delivery =
            if profile.events_at_once { v1::EventDelivery::Unspecified } else { v1::EventDelivery::WithDecisions };
        Sent::Hello(v1::Hello {
            // With a token the token's name counts, so the bot's own is sent only if somebody asked for it.
            name: options.name.clone().unwrap_or(own),
            version: profile.version.clone(),
            games: profile.games.clone(),
            max_matches: options.max_matches.unwrap_or(profile.max_matches).into(),
            view_format: view_format.into(),
            texts: profile.texts,
            event_delivery: delivery.into(),
        })
    }

    /// Somebody may have asked to leave.
    fn hear_wishes(&mut self) {
        if !self.is_leaving && *self.wishes.borrow_and_update() == Wish::Leave {
            self.is_leaving = true;
            note(&format!("goodbye: {} matches to finish", self.matches.len()));
            if self.is_welcome {
                self.outbox.push_back(Sent::Goodbye(v1::Goodbye {}));
            } // otherwise a hello may be on its way, and may bring a match: the goodbye follows the welcome
        }
    }

    // -- Messages --

    fn take(&mut self, message: Received) {
        match message {
            Received::Welcome(welcome) => self.welcome(&welcome),
            Received::Notice(notice) => note(&format!("the server says: {}", notice.text)),
            message => self.take_about_match(message),
        }
    }

    fn welcome(&mut self, welcome: &v1::Welcome) {
        self.is_welcome = true;
        self.rate = u32::try_from(welcome.max_messages_per_second).unwrap_or_default();
        let wanted = welcome.min_keepalive.and_then(|wanted| Duration::try_from(wanted).ok()).unwrap_or_default();
        self.endpoint = self.endpoint.clone().http2_keep_alive_interval(KEEPALIVE.max(wanted.mul_f64(1.5)));
        note(&format!("connected to {} as {}", self.options.server, welcome.name));
        self.unheard = self.matches.keys().cloned().collect();
        self.to_name = welcome.open_seats;
        self.forget_unheard();
        if self.is_leaving {
            self.outbox.push_back(Sent::Goodbye(v1::Goodbye {}));
        }
    }

    fn take_about_match(&mut self, message: Received) {
        let id = match_of(&message).to_owned();
        if let Received::DecisionRequest(request) = &message
            && !self.is_new(request)
        {
            return;
        }
        match &message {
            Received::MatchStarted(_) => {
                self.unheard.remove(&id);
                self.matches.entry(id).or_insert_with(Open::new);
                self.to_name -= 1;
                self.forget_unheard();
            }
            _ if !self.matches.contains_key(&id) => {
                note(&format!("passing over a message about match {id}, which this bot does not play"));
                return;
            }
            Received::MatchEnded(_) => {
                self.matches.remove(&id);
            }
            _ => {}
        }
        self.waiting += 1;
        let _ = self.to_bot.send((message, Instant::now()));
    }

    /// Whether a decision has to be thought about. Otherwise the answer is known, or comes as soon as it is.
    fn is_new(&mut self, request: &v1::DecisionRequest) -> bool {
        let open = self.matches.entry(request.match_id.clone()).or_insert_with(Open::new);
        if request.sequence < open.sequence {
            return false;
        }
        let is_new = request.sequence > open.sequence;
        if is_new {
            *open = Open { sequence: request.sequence, ..Open::new() };
        }
        open.asked_on = self.stream;
        self.send_answer(&request.match_id);
        is_new
    }

    /// Sends an answer, if this stream asked for it and has not got it yet.
    fn send_answer(&mut self, match_id: &str) {
        let Some(open) = self.matches.get_mut(match_id) else { return };
        if open.sent_on == self.stream || open.asked_on != self.stream {
            return;
        }
        if let Some(answer) = &open.answer {
            open.sent_on = self.stream;
            self.outbox.push_back(answer.clone());
        }
    }

    /// Once the server has named all open matches, those it does not know any more ended while the bot was away.
    fn forget_unheard(&mut self) {
        if self.to_name > 0 {
            return;
        }
        for match_id in std::mem::take(&mut self.unheard) {
            self.take_about_match(Received::MatchEnded(v1::MatchEnded { match_id, result: None }));
        }
    }

    fn take_reply(&mut self, question: &Question, reply: Option<Sent>) {
        self.waiting -= 1;
        let (Some(reply), Some(open)) = (reply, self.matches.get_mut(&question.match_id)) else { return };
        if open.sequence != question.sequence {
            return; // it took too long: the match has gone on
        }
        open.answer = Some(reply);
        if question.is_repeated {
            open.sent_on = 0; // the decision is still open on this stream
        }
        self.send_answer(&question.match_id);
    }
}

/// Comes when somebody asked to leave.
async fn left(wishes: &mut watch::Receiver<Wish>) {
    if wishes.wait_for(|wish| *wish != Wish::Play).await.is_err() {
        std::future::pending::<()>().await; // nobody is left who could ask
    }
}

/// What the thread of the bot does: take in what comes, as long as the client lives.
fn work<B: Bot>(
    mut table: Table<B>,
    mut inbox: mpsc::UnboundedReceiver<(Received, Instant)>,
    outbox: &mpsc::UnboundedSender<(Question, Option<Sent>)>,
) {
    while let Some((message, received)) = inbox.blocking_recv() {
        let (sequence, is_repeated) = match &message {
            Received::DecisionRequest(request) => (request.sequence, false),
            Received::AnswerRejected(rejected) => (rejected.sequence, true),
            _ => (-1, false),
        };
        let question = Question { match_id: match_of(&message).to_owned(), sequence, is_repeated };
        let reply = table.take(message, received);
        if outbox.send((question, reply)).is_err() {
            return;
        }
    }
}

fn match_of(message: &Received) -> &str {
    match message {
        Received::MatchStarted(message) => &message.match_id,
        Received::MatchEvents(message) => &message.match_id,
        Received::DecisionRequest(message) => &message.match_id,
        Received::AnswerRejected(message) => &message.match_id,
        Received::MatchEnded(message) => &message.match_id,
        Received::Welcome(_) | Received::Notice(_) => "",
    }
}

fn endpoint(options: &Options) -> Result<Endpoint, Error> {
    let wrong = |error: tonic::transport::Error| {
        let cause = error.source().map(|source| format!(": {source}")).unwrap_or_default();
        Error::Option(format!("{}: {error}{cause}", options.server))
    };
    let scheme = if options.uses_tls() { "https" } else { "http" };
    let endpoint = Endpoint::from_shared(format!("{scheme}://{}", options.server))
        .map_err(wrong)?
        .http2_keep_alive_interval(KEEPALIVE)
        .keep_alive_timeout(Duration::from_secs(10))
        .connect_timeout(Duration::from_secs(20))
        .tcp_nodelay(true);
    if !options.uses_tls() {
        return Ok(endpoint);
    }
    let mut tls = ClientTlsConfig::new();
    tls = match &options.tls_ca {
        Some(path) => tls.ca_certificate(Certificate::from_pem(read(path)?)),
        None => tls.with_native_roots(),
    };
    if let (Some(certificate), Some(key)) = (&options.tls_certificate, &options.tls_key) {
        tls = tls.identity(Identity::from_pem(read(certificate)?, read(key)?));
    }
    endpoint.tls_config(tls).map_err(wrong)
}
