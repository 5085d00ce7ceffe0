#include "hansa/client.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "hansa/errors.h"
#include "hansa/v1/play.grpc.pb.h"
#include "log.h"
#include "table.h"

namespace hansa {
namespace {

using Seconds = std::chrono::duration<double>;
using SteadyClock = std::chrono::steady_clock;
using Stream = grpc::ClientReaderWriter<v1::PlayRequest, v1::PlayResponse>;

constexpr Seconds kKeepalive{30};          // between pings, unless the server wants them further apart
constexpr Seconds kSteady{1};              // after which a stream counts as a success, and delays begin anew
constexpr int kLargestMessage = 64 << 20;  // the history of a long match, with texts

// Why trying again would not help; empty if it might.
std::string hopeless(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::INVALID_ARGUMENT:
      return "the server does not accept this bot";
    case grpc::StatusCode::UNAUTHENTICATED:
      return "the server does not accept the token";
    case grpc::StatusCode::PERMISSION_DENIED:
      return "the token is not one of a bot";
    case grpc::StatusCode::UNIMPLEMENTED:
      return "this is no Hansa server";
    default:
      return "";
  }
}

// The match that a message is about; empty if it is about none.
std::string match_of(const v1::PlayResponse& message) {
  switch (message.message_case()) {
    case v1::PlayResponse::kMatchStarted:
      return message.match_started().match_id();
    case v1::PlayResponse::kMatchEvents:
      return message.match_events().match_id();
    case v1::PlayResponse::kDecisionRequest:
      return message.decision_request().match_id();
    case v1::PlayResponse::kAnswerRejected:
      return message.answer_rejected().match_id();
    case v1::PlayResponse::kMatchEnded:
      return message.match_ended().match_id();
    default:
      return "";
  }
}

}  // namespace

// Three threads: `run` reads the stream, the writer of a stream sends what is in the outbox, the worker asks the bot.
// Everything below is guarded by one mutex, but for the table, which belongs to the worker.
class Client::Impl {
 public:
  Impl(Bot& bot, Options options)
      : options_(std::move(options)), profile_(bot.profile()), table_(bot), worker_([this] { work(); }) {}

  ~Impl() {
    stop();
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    inbox_filled_.notify_all();
  }  // the worker is joined as the last member

  void run() {
    for (int attempt = 0;;) {
      const auto began = SteadyClock::now();
      const std::string problem = play();
      std::unique_lock lock(mutex_);
      if (is_done()) break;
      attempt = SteadyClock::now() - began > kSteady ? 0 : attempt + 1;
      const Seconds longest = std::min(options_.longest_delay, options_.first_delay * std::exp2(std::min(attempt, 30)));
      // Not all bots of a server come back in the same moment.
      const Seconds delay = longest * std::uniform_real_distribution<>(0.5, 1.0)(dice_);
      char seconds[16];
      std::snprintf(seconds, sizeof seconds, "%.1f", delay.count());
      log("no connection to " + options_.server + ": " + problem + "; next attempt in " + seconds + " s");
      changed_.wait_for(lock, delay, [this] { return is_done(); });
      if (is_done()) break;
    }
    std::unique_lock lock(mutex_);  // let the bot take in what came: the ends of the last matches
    changed_.wait(lock, [this] { return stopped_ || (inbox_.empty() && !thinking_); });
  }

  void leave() {
    const std::lock_guard lock(mutex_);
    if (leaving_) return;
    leaving_ = true;
    if (connected_) send(goodbye());
    // Otherwise a hello may be on its way, and may bring a match: the goodbye follows the welcome.
    changed_.notify_all();
  }

  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    if (context_ != nullptr) context_->TryCancel();
    changed_.notify_all();
  }

  int running_matches() const {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(matches_.size());
  }

 private:
  // The newest decision of a match. Streams are numbered, so that nothing is answered twice on one, and what the last
  // one may have lost is sent again on the next.
  struct Open {
    int sequence = -1;
    int asked_on = 0;
    std::optional<v1::PlayRequest> answer;
    int sent_on = 0;
  };
  struct Received {
    v1::PlayResponse message;
    Clock::Time time;
  };

  bool is_done() const { return stopped_ || (leaving_ && matches_.empty() && context_ == nullptr); }

  // -- The stream ---------------------------------------------------------------------------------------------------

  // Opens a stream and plays on it until it ends; returns why. Throws what cannot be helped.
  std::string play() {
    const auto stub = v1::PlayService::NewStub(make_channel());
    grpc::ClientContext context;
    if (!options_.token.empty()) context.AddMetadata("authorization", "Bearer " + options_.token);
    {
      const std::lock_guard lock(mutex_);
      if (is_done()) return "";
      context_ = &context;
      outbox_.assign(1, hello());
      ++number_;
      stream_over_ = false;
    }
    const std::unique_ptr<Stream> stream = stub->Play(&context);
    {
      const std::jthread writer([&] { write(*stream); });
      v1::PlayResponse message;
      while (stream->Read(&message)) take(message);
      const std::lock_guard lock(mutex_);
      connected_ = false;
      stream_over_ = true;
      outbox_filled_.notify_all();
    }  // the writer is joined
    const grpc::Status status = stream->Finish();
    const std::lock_guard lock(mutex_);
    context_ = nullptr;
    return judge(status);
  }

  // What to do about the end of a stream: throws what cannot be helped, otherwise says why.
  std::string judge(const grpc::Status& status) const {
    if (is_done()) return "";
    if (status.ok()) return "the stream was closed";
    const std::string& details = status.error_message();
    if (status.error_code() == grpc::StatusCode::ABORTED)
      throw ReplacedError("another process plays as this bot now: " + details);
    if (const std::string why = hopeless(status.error_code()); !why.empty()) {
      const bool lacks_token = status.error_code() == grpc::StatusCode::UNAUTHENTICATED && options_.token.empty();
      throw RefusedError(options_.server + ": " + why + ": " + details +
                         (lacks_token ? "; give it with --token-file or HANSA_TOKEN" : ""));
    }
    return details;
  }

  // A connection of its own for every attempt, so that no delay of an older one is waited for.
  std::shared_ptr<grpc::Channel> make_channel() const {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, static_cast<int>(keepalive_.count() * 1000));
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
    arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
    arguments.SetMaxReceiveMessageSize(kLargestMessage);
    if (options_.is_loopback()) arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    return grpc::CreateCustomChannel(options_.server, credentials_, arguments);
  }

  static std::shared_ptr<grpc::ChannelCredentials> make_credentials(const Options& options) {
    options.check();
    if (!options.uses_tls()) return grpc::InsecureChannelCredentials();
    grpc::SslCredentialsOptions ssl;
    if (!options.tls_ca.empty()) ssl.pem_root_certs = read_file(options.tls_ca);
    if (!options.tls_key.empty()) ssl.pem_private_key = read_file(options.tls_key);
    if (!options.tls_certificate.empty()) ssl.pem_cert_chain = read_file(options.tls_certificate);
    return grpc::SslCredentials(ssl);
  }

  // Sends what is in the outbox, no faster than the server takes it.
  void write(Stream& stream) {
    auto free = SteadyClock::now();  // when the next message may go
    while (true) {
      std::unique_lock lock(mutex_);
      outbox_filled_.wait(lock, [this] { return stream_over_ || !outbox_.empty(); });
      if (stream_over_) return;
      const v1::PlayRequest message = std::move(outbox_.front());
      outbox_.pop_front();
      if (rate_ > 0) {
        const auto now = SteadyClock::now();
        const auto step = std::chrono::duration_cast<SteadyClock::duration>(Seconds(1.0 / rate_));
        free = std::max(free, now - std::chrono::milliseconds(500)) + step;  // half a second's worth may go at once
        if (outbox_filled_.wait_until(lock, free, [this] { return stream_over_; })) return;
      }
      lock.unlock();
      if (!stream.Write(message)) return;  // the stream is over; whoever reads it learns why
    }
  }

  v1::PlayRequest hello() const {
    v1::PlayRequest request;
    v1::Hello& hello = *request.mutable_hello();
    // With a token the token's name counts, so the bot's own is sent only if somebody asked for it.
    hello.set_name(!options_.name.empty() ? options_.name : options_.token.empty() ? profile_.name : "");
    hello.set_version(profile_.version);
    hello.mutable_games()->Add(profile_.games.begin(), profile_.games.end());
    hello.set_max_matches(options_.max_matches > 0 ? options_.max_matches : profile_.max_matches);
    hello.set_view_format(profile_.views ? v1::VIEW_FORMAT_MESSAGE : v1::VIEW_FORMAT_UNSPECIFIED);
    hello.set_texts(profile_.texts);
    hello.set_event_delivery(profile_.events_at_once ? v1::EVENT_DELIVERY_UNSPECIFIED
                                                     : v1::EVENT_DELIVERY_WITH_DECISIONS);
    return request;
  }

  static v1::PlayRequest goodbye() {
    v1::PlayRequest request;
    request.mutable_goodbye();
    return request;
  }

  // -- Messages -----------------------------------------------------------------------------------------------------

  // A message came. What a newer server may say beyond what is known here is passed over.
  void take(const v1::PlayResponse& message) {
    const std::lock_guard lock(mutex_);
    if (message.has_welcome()) {
      welcome(message.welcome());
    } else if (message.has_notice()) {
      log("the server says: " + message.notice().text());
    } else if (message.message_case() != v1::PlayResponse::MESSAGE_NOT_SET) {
      take_about_match(message);
    }
  }

  void welcome(const v1::Welcome& welcome) {
    connected_ = true;
    rate_ = welcome.max_messages_per_second();
    const Seconds wanted(static_cast<double>(welcome.min_keepalive().seconds()) +
                         welcome.min_keepalive().nanos() * 1e-9);
    keepalive_ = std::max(kKeepalive, 1.5 * wanted);
    log("connected to " + options_.server + " as " + welcome.name());
    unheard_.clear();
    for (const auto& [id, open] : matches_) unheard_.insert(id);
    to_name_ = welcome.open_seats();
    forget_unheard();
    if (leaving_) send(goodbye());
  }

  void take_about_match(const v1::PlayResponse& message) {
    const std::string id = match_of(message);
    if (message.has_match_started()) {
      unheard_.erase(id);
      matches_.try_emplace(id);
      --to_name_;
      forget_unheard();
    } else if (message.has_decision_request()) {
      if (!is_new(message.decision_request(), matches_[id])) return;
    } else if (!matches_.contains(id)) {
      log("passing over a message about match " + id + ", which this bot does not play");
      return;
    }
    inbox_.push_back({message, SteadyClock::now()});
    inbox_filled_.notify_one();
    if (message.has_match_ended()) matches_.erase(id);
  }

  // Whether a decision has to be thought about. Otherwise the answer is known, or comes as soon as it is.
  bool is_new(const v1::DecisionRequest& request, Open& open) {
    if (request.sequence() > open.sequence) {
      open = {request.sequence(), number_, std::nullopt, 0};
      return true;
    }
    if (request.sequence() == open.sequence) {
      open.asked_on = number_;
      send_answer(open);
    }
    return false;
  }

  // Sends an answer, if this stream asked for it and has not got it yet.
  void send_answer(Open& open) {
    if (!open.answer || open.sent_on == number_ || open.asked_on != number_) return;
    open.sent_on = number_;
    send(*open.answer);
  }

  void send(v1::PlayRequest request) {
    outbox_.push_back(std::move(request));
    outbox_filled_.notify_one();
  }

  // Once the server has named all open matches, those it does not know any more ended while the bot was away.
  void forget_unheard() {
    if (to_name_ > 0) return;
    for (const std::string& id : std::exchange(unheard_, {})) {
      v1::PlayResponse ended;
      ended.mutable_match_ended()->set_match_id(id);
      take_about_match(ended);
    }
  }

  // -- The bot ------------------------------------------------------------------------------------------------------

  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      inbox_filled_.wait(lock, [this] { return closing_ || !inbox_.empty(); });
      if (closing_) return;
      const Received received = std::move(inbox_.front());
      inbox_.pop_front();
      thinking_ = true;
      lock.unlock();
      std::optional<v1::PlayRequest> reply;
      try {
        reply = table_.take(received.message, received.time);
      } catch (const std::exception& error) {
        log(std::string("a message of the server makes no sense: ") + error.what());
      }
      lock.lock();
      thinking_ = false;
      if (reply) take_reply(received.message, std::move(*reply));
      if (inbox_.empty()) changed_.notify_all();
    }
  }

  void take_reply(const v1::PlayResponse& message, v1::PlayRequest reply) {
    const auto found = matches_.find(match_of(message));
    const int sequence =
        message.has_answer_rejected() ? message.answer_rejected().sequence() : message.decision_request().sequence();
    if (found == matches_.end() || found->second.sequence != sequence) return;  // the match is over or has gone on
    Open& open = found->second;
    open.answer = std::move(reply);
    if (message.has_answer_rejected()) open.sent_on = 0;  // the decision is still open on this stream
    send_answer(open);
  }

  const Options options_;
  const Profile profile_;
  const std::shared_ptr<grpc::ChannelCredentials> credentials_ = make_credentials(options_);
  Table table_;

  mutable std::mutex mutex_;
  std::condition_variable inbox_filled_;   // or closing
  std::condition_variable outbox_filled_;  // or the stream is over
  std::condition_variable changed_;        // for `run`: leaving, stopped, or nothing left to think about
  std::map<std::string, Open> matches_;
  std::set<std::string> unheard_;  // matches the server has not named since the last reconnection
  int to_name_ = 0;                // seats it will still name
  std::deque<Received> inbox_;     // for the worker
  bool thinking_ = false;          // the worker is at something it took out of the inbox
  std::deque<v1::PlayRequest> outbox_;
  grpc::ClientContext* context_ = nullptr;  // of the current stream
  int number_ = 0;                          // of the current stream
  bool connected_ = false;                  // the server has said welcome
  bool stream_over_ = true;
  int rate_ = 0;  // messages a second that the server takes; 0: not said
  Seconds keepalive_ = kKeepalive;
  bool leaving_ = false;
  bool stopped_ = false;
  bool closing_ = false;
  std::mt19937_64 dice_{std::random_device{}()};

  std::jthread worker_;  // last, so that all it uses is there before it starts and after it has ended
};

Client::Client(Bot& bot, Options options) : impl_(std::make_unique<Impl>(bot, std::move(options))) {}
Client::~Client() = default;
void Client::run() { impl_->run(); }
void Client::leave() { impl_->leave(); }
void Client::stop() { impl_->stop(); }
int Client::running_matches() const { return impl_->running_matches(); }

int run(Bot& bot, const Options& options) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGUSR1);  // ends the thread that waits for the others
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  try {
    Client client(bot, options);
    std::jthread listener([&] {
      for (int came = 0, number = 0; sigwait(&signals, &number) == 0 && number != SIGUSR1;) {
        if (++came > 1) std::_Exit(0);  // the bot may be in a thought that takes forever
        log("goodbye: " + std::to_string(client.running_matches()) + " matches to finish; once more to end at once");
        client.leave();
      }
    });
    const auto end_listener = [&] { pthread_kill(listener.native_handle(), SIGUSR1); };
    try {
      client.run();
    } catch (...) {
      end_listener();
      throw;
    }
    end_listener();
  } catch (const ClientError& error) {
    std::fprintf(stderr, "%s: %s\n", bot.profile().name.c_str(), error.what());
    return 1;
  }
  return 0;
}

int run(Bot& bot, std::vector<std::string> arguments, const std::string& more_help) {
  for (const std::string& argument : arguments) {
    if (argument == "--help" || argument == "-h") {
      std::printf("A bot for the Hansa board games.\n\n%s%s", more_help.c_str(), Options::help().c_str());
      return 0;
    }
  }
  Options options;
  try {
    options = Options::from_arguments(arguments);
    if (!arguments.empty()) throw OptionError("there is no option " + arguments.front() + "; --help shows all");
  } catch (const OptionError& error) {
    std::fprintf(stderr, "%s: %s\n", bot.profile().name.c_str(), error.what());
    return 2;
  }
  return run(bot, options);
}

int run(Bot& bot, int argc, char** argv) { return run(bot, std::vector<std::string>(argv + 1, argv + argc)); }

}  // namespace hansa
