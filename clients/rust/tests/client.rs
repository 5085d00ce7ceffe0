//! The client on a small server of its own, over a real socket. `hansa bot check` walks through the whole protocol.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hansa::v1::play_request::Message as Sent;
use hansa::v1::play_response::Message as Received;
use hansa::v1::play_service_server::{PlayService, PlayServiceServer};
use hansa::{Bot, Choice, Client, Decision, Error, Failure, Options, Profile, v1};
use tokio::sync::mpsc;
use tokio_stream::Stream;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status, Streaming};

#[derive(Clone, Default)]
struct FirstBot {
    asked: Arc<AtomicUsize>,
}

impl Bot for FirstBot {
    fn profile(&self) -> Profile {
        Profile::named("first")
    }

    fn choose(&mut self, decision: &Decision) -> Result<Choice, Failure> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        Ok((&decision.legal[0]).into())
    }
}

type Responses = mpsc::UnboundedSender<Result<v1::PlayResponse, Status>>;
/// What the server does on a message of a stream, by its number from 1; `false` ends the stream.
type Script = dyn Fn(usize, Sent, &Responses) -> bool + Send + Sync;

#[derive(Clone)]
struct Scripted {
    script: Arc<Script>,
    streams: Arc<AtomicUsize>,
    authorization: Arc<Mutex<Option<String>>>,
}

#[tonic::async_trait]
impl PlayService for Scripted {
    type PlayStream = Pin<Box<dyn Stream<Item = Result<v1::PlayResponse, Status>> + Send>>;

    async fn play(&self, request: Request<Streaming<v1::PlayRequest>>) -> Result<Response<Self::PlayStream>, Status> {
        let token = request.metadata().get("authorization").map(|token| token.to_str().unwrap().to_owned());
        *self.authorization.lock().unwrap() = token;
        let number = self.streams.fetch_add(1, Ordering::SeqCst) + 1;
        let (sender, receiver) = mpsc::unbounded_channel();
        let script = self.script.clone();
        let mut requests = request.into_inner();
        tokio::spawn(async move {
            while let Ok(Some(request)) = requests.message().await {
                if !script(number, request.message.expect("a message has something in it"), &sender) {
                    break;
                }
            }
        });
        Ok(Response::new(Box::pin(UnboundedReceiverStream::new(receiver))))
    }
}

/// A server that lives as long as the test, and how to reach it.
fn serve(script: impl Fn(usize, Sent, &Responses) -> bool + Send + Sync + 'static) -> (Scripted, Options) {
    let scripted = Scripted { script: Arc::new(script), streams: Arc::default(), authorization: Arc::default() };
    let incoming = TcpIncoming::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let server = incoming.local_addr().unwrap().to_string();
    let service = PlayServiceServer::new(scripted.clone());
    tokio::spawn(Server::builder().serve_with_incoming(service, incoming));
    (scripted, Options { server, first_delay: Duration::from_millis(10), ..Options::default() })
}

fn send(responses: &Responses, message: Received) {
    let _ = responses.send(Ok(v1::PlayResponse { message: Some(message) }));
}

fn welcome(responses: &Responses, open_seats: i32) {
    send(responses, Received::Welcome(v1::Welcome { name: "first".into(), open_seats, ..Default::default() }));
}

fn ask(responses: &Responses) {
    let match_id = "m".to_owned();
    send(responses, Received::MatchStarted(v1::MatchStarted { match_id: match_id.clone(), ..Default::default() }));
    let request = v1::DecisionRequest { match_id, sequence: 4, legal_actions: vec![6, 7], ..Default::default() };
    send(responses, Received::DecisionRequest(request));
}

#[tokio::test]
async fn sends_a_lost_answer_again_without_thinking_twice() {
    let (answered, mut answers) = mpsc::unbounded_channel();
    let (server, options) = serve(move |stream, sent, responses| {
        match sent {
            Sent::Hello(_) => {
                welcome(responses, i32::from(stream > 1));
                ask(responses);
            }
            Sent::Answer(_) if stream == 1 => {
                let _ = responses.send(Err(Status::unavailable("lost")));
                return false;
            }
            Sent::Answer(answer) => {
                answered.send(answer).unwrap();
                send(responses, Received::MatchEnded(v1::MatchEnded { match_id: "m".into(), result: None }));
            }
            Sent::Goodbye(_) | Sent::Resign(_) => return false,
        }
        true
    });
    let bot = FirstBot::default();
    let client = Client::new(bot.clone(), options).unwrap();
    let handle = client.handle();
    let running = tokio::spawn(client.run());
    let answer = answers.recv().await.unwrap();
    assert_eq!((answer.sequence, answer.choice), (4, Some(v1::answer::Choice::Action(6))));
    handle.leave();
    assert_eq!(running.await.unwrap(), Ok(()));
    assert_eq!(bot.asked.load(Ordering::SeqCst), 1);
    assert_eq!(server.streams.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn sends_its_token_and_gives_up_when_it_is_refused() {
    let (server, options) = serve(|_, _, responses| {
        let _ = responses.send(Err(Status::permission_denied("a watcher's")));
        false
    });
    let options = Options { token: "secret".into(), ..options };
    match Client::new(FirstBot::default(), options).unwrap().run().await {
        Err(Error::Refused(text)) => assert!(text.contains("a watcher's"), "{text}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(server.authorization.lock().unwrap().as_deref(), Some("Bearer secret"));
}

#[tokio::test]
async fn does_not_come_back_when_another_took_its_place() {
    let (_server, options) = serve(|_, _, responses| {
        let _ = responses.send(Err(Status::aborted("taken")));
        false
    });
    let result = Client::new(FirstBot::default(), options).unwrap().run().await;
    assert!(matches!(result, Err(Error::Replaced(_))), "{result:?}");
}

#[tokio::test]
async fn stops_in_the_middle_of_a_stream() {
    let (greeted, mut greetings) = mpsc::unbounded_channel();
    let (_server, options) = serve(move |_, _, responses| {
        welcome(responses, 0);
        greeted.send(()).is_ok()
    });
    let client = Client::new(FirstBot::default(), options).unwrap();
    let handle = client.handle();
    let running = tokio::spawn(client.run());
    greetings.recv().await.unwrap();
    handle.stop();
    assert_eq!(running.await.unwrap(), Ok(()));
}

#[tokio::test]
async fn leaves_while_there_is_no_server() {
    let minutes = Duration::from_secs(600);
    let server = "127.0.0.1:1".to_owned();
    let options = Options { server, first_delay: minutes, longest_delay: minutes, ..Options::default() };
    let client = Client::new(FirstBot::default(), options).unwrap();
    let handle = client.handle();
    let running = tokio::spawn(client.run());
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(!running.is_finished());
    handle.leave();
    assert_eq!(running.await.unwrap(), Ok(()));
}

#[test]
fn refuses_options_that_cannot_be() {
    let options = Options { server: "10.0.0.1:1".into(), token: "secret".into(), ..Options::default() };
    assert!(matches!(Client::new(FirstBot::default(), options).err(), Some(Error::Option(_))));
}
