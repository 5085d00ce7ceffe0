// A bot on a server: one stream for all matches, opened again whenever it breaks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hansa/bot.h"
#include "hansa/options.h"

namespace hansa {

// Connects a bot to a server and keeps it there. `leave` and `stop` may be called from any thread.
class Client {
 public:
  // The bot must live as long as the client. Throws OptionError.
  Client(Bot& bot, Options options);
  ~Client();  // stops, and waits for the bot to finish the thought it has
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Plays until `leave` has done its work, or `stop`. Throws ClientError if the server does not want this bot.
  void run();
  // Take no new matches, finish those that run, then end.
  void leave();
  // End now. Matches that run wait for the bot on the server, as long as its clock allows.
  void stop();
  // How many matches this bot plays.
  int running_matches() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Plays until Ctrl-C and returns the exit code. The first Ctrl-C (or SIGTERM) says goodbye: no new matches, those that
// run are played to their end. The second one ends the process at once.
//
// Call it before any other thread is started, since threads take over which signals are blocked.
int run(Bot& bot, const Options& options);

// The main function of a bot: the same with the options of a command line, without the name of the program. `--help`
// shows them, after the help for options that were taken out before.
int run(Bot& bot, std::vector<std::string> arguments, const std::string& more_help = "");
int run(Bot& bot, int argc, char** argv);

}  // namespace hansa
