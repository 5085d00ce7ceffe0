// The client on a small server of its own, over a real socket. The whole protocol is walked through by `hansa bot
// check`.
#include "hansa/client.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <thread>

#include "hansa/errors.h"
#include "hansa/v1/play.grpc.pb.h"

namespace {

using namespace std::chrono_literals;
using hansa::v1::PlayRequest;
using hansa::v1::PlayResponse;
using Stream = grpc::ServerReaderWriter<PlayResponse, PlayRequest>;

class FirstBot : public hansa::Bot {
 public:
  hansa::Profile profile() const override { return {.name = "first"}; }
  hansa::Choice choose(const hansa::Decision& decision) override {
    ++asked;
    return decision.legal[0];
  }
  std::atomic<int> asked = 0;
};

// Every stream is handled by the function of its number, from 1.
class Server : public hansa::v1::PlayService::Service {
 public:
  using Handler = std::function<grpc::Status(int number, grpc::ServerContext& context, Stream& stream)>;

  explicit Server(Handler handler) : handler_(std::move(handler)) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~Server() override { server_->Shutdown(std::chrono::system_clock::now()); }

  grpc::Status Play(grpc::ServerContext* context, Stream* stream) override {
    return handler_(++streams_, *context, *stream);
  }
  hansa::Options options() const {
    hansa::Options options;
    options.server = "127.0.0.1:" + std::to_string(port_);
    options.first_delay = 10ms;
    return options;
  }
  int streams() const { return streams_; }

 private:
  Handler handler_;
  std::atomic<int> streams_ = 0;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

PlayRequest next(Stream& stream) {
  PlayRequest request;
  stream.Read(&request);
  return request;
}

void welcome(Stream& stream, int open_seats) {
  PlayResponse message;
  message.mutable_welcome()->set_name("first");
  message.mutable_welcome()->set_open_seats(open_seats);
  stream.Write(message);
}

void ask(Stream& stream, int sequence) {
  PlayResponse started;
  started.mutable_match_started()->set_match_id("m");
  stream.Write(started);
  PlayResponse message;
  message.mutable_decision_request()->set_match_id("m");
  message.mutable_decision_request()->set_sequence(sequence);
  message.mutable_decision_request()->add_legal_actions(6);
  message.mutable_decision_request()->add_legal_actions(7);
  stream.Write(message);
}

TEST(Client, SendsALostAnswerAgainWithoutThinkingTwice) {
  std::promise<PlayRequest> answer;
  Server server([&](int number, grpc::ServerContext&, Stream& stream) {
    if (!next(stream).has_hello()) return grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "no hello");
    welcome(stream, number - 1);
    ask(stream, 4);
    const PlayRequest reply = next(stream);
    if (number == 1) return grpc::Status(grpc::StatusCode::UNAVAILABLE, "lost");
    answer.set_value(reply);
    PlayResponse ended;
    ended.mutable_match_ended()->set_match_id("m");
    stream.Write(ended);
    while (!next(stream).has_goodbye()) {
    }
    return grpc::Status::OK;
  });
  FirstBot bot;
  hansa::Client client(bot, server.options());
  std::jthread leaver([&] {
    EXPECT_EQ(answer.get_future().get().answer().action(), 6);
    client.leave();
  });
  client.run();
  leaver.join();
  EXPECT_EQ(bot.asked, 1);
  EXPECT_EQ(server.streams(), 2);
  EXPECT_EQ(client.running_matches(), 0);
}

TEST(Client, SendsItsToken) {
  std::promise<std::string> metadata;
  Server server([&](int, grpc::ServerContext& context, Stream&) {
    const auto found = context.client_metadata().find("authorization");
    metadata.set_value(std::string(found->second.data(), found->second.size()));
    return grpc::Status(grpc::StatusCode::PERMISSION_DENIED, "a watcher's");
  });
  FirstBot bot;
  hansa::Options options = server.options();
  options.token = "secret";
  hansa::Client client(bot, options);
  EXPECT_THROW(client.run(), hansa::RefusedError);
  EXPECT_EQ(metadata.get_future().get(), "Bearer secret");
}

TEST(Client, DoesNotComeBackWhenAnotherTookItsPlace) {
  Server server([](int, grpc::ServerContext&, Stream&) { return grpc::Status(grpc::StatusCode::ABORTED, "taken"); });
  FirstBot bot;
  hansa::Client client(bot, server.options());
  EXPECT_THROW(client.run(), hansa::ReplacedError);
}

TEST(Client, StopsInTheMiddleOfAStream) {
  std::promise<void> connected;
  Server server([&](int, grpc::ServerContext&, Stream& stream) {
    next(stream);
    welcome(stream, 0);
    connected.set_value();
    next(stream);
    return grpc::Status::OK;
  });
  FirstBot bot;
  hansa::Client client(bot, server.options());
  std::jthread stopper([&] {
    connected.get_future().wait();
    client.stop();
  });
  client.run();
  stopper.join();
}

TEST(Client, LeavesWhileThereIsNoServer) {
  hansa::Options options;
  options.server = "127.0.0.1:1";
  options.first_delay = options.longest_delay = 600s;
  FirstBot bot;
  hansa::Client client(bot, options);
  std::jthread leaver([&] {
    std::this_thread::sleep_for(300ms);
    client.leave();
  });
  client.run();
  leaver.join();
}

}  // namespace
