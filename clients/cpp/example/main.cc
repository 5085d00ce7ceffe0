// The example bots: `bot --bot sensible` or `bot --bot random`, with the options every bot has.
#include <cstdio>
#include <string>
#include <vector>

#include "hansa/client.h"
#include "random_bot.h"
#include "sensible_bot.h"

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  std::string name = "sensible";
  for (std::size_t at = 0; at + 1 < arguments.size(); ++at) {
    if (arguments[at] != "--bot") continue;
    name = arguments[at + 1];
    arguments.erase(arguments.begin() + at, arguments.begin() + at + 2);
    break;
  }
  const std::string help = "  --bot NAME          sensible (the default) or random\n";
  SensibleBot sensible;
  RandomBot random;
  if (name == "sensible") return hansa::run(sensible, arguments, help);
  if (name == "random") return hansa::run(random, arguments, help);
  std::fprintf(stderr, "--bot must be sensible or random, not '%s'\n", name.c_str());
  return 2;
}
