// The example bot: `bot --bot sensible` or `bot --bot random`, with the options every bot has.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "hansa/client.h"
#include "hansa/errors.h"
#include "random_bot.h"
#include "sensible_bot.h"

namespace {

std::unique_ptr<hansa::Bot> make_bot(const std::string& name) {
  if (name == "sensible") return std::make_unique<SensibleBot>();
  if (name == "random") return std::make_unique<RandomBot>();
  throw hansa::OptionError("--bot must be sensible or random, not '" + name + "'");
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    const hansa::Options options = hansa::Options::from_arguments(arguments);
    std::string name = "sensible";
    for (std::size_t at = 0; at < arguments.size(); ++at) {
      if (arguments[at] == "--help" || arguments[at] == "-h") {
        std::printf("A bot for the Hansa board games.\n\n  --bot NAME          sensible (the default) or random\n%s",
                    hansa::Options::help().c_str());
        return 0;
      }
      if (arguments[at] != "--bot")
        throw hansa::OptionError("there is no option " + arguments[at] + "; --help shows all");
      if (++at == arguments.size()) throw hansa::OptionError("--bot needs a value");
      name = arguments[at];
    }
    const std::unique_ptr<hansa::Bot> bot = make_bot(name);
    return hansa::run(*bot, options);
  } catch (const hansa::OptionError& error) {
    std::fprintf(stderr, "bot: %s\n", error.what());
    return 2;
  }
}
