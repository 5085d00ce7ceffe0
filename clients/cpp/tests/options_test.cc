#include "hansa/options.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>

#include "hansa/errors.h"

namespace {

using hansa::OptionError;
using hansa::Options;

Options parse(std::vector<std::string> arguments, std::map<std::string, std::string> environment = {}) {
  return Options::from_arguments(arguments, [&](const std::string& name) { return environment[name]; });
}

// What an OptionError says; empty if there is none.
std::string problem_of(const std::vector<std::string>& arguments,
                       const std::map<std::string, std::string>& environment = {}) {
  try {
    parse(arguments, environment);
    return "";
  } catch (const OptionError& error) {
    return error.what();
  }
}

TEST(Options, HasDefaults) {
  const Options options = parse({});
  EXPECT_EQ(options.server, "127.0.0.1:7717");
  EXPECT_FALSE(options.uses_tls());
}

TEST(Options, PrefersTheCommandLineToTheEnvironment) {
  const std::map<std::string, std::string> environment = {{"HANSA_SERVER", "[::1]:1"}, {"HANSA_TOKEN", "secret"}};
  EXPECT_EQ(parse({}, environment).server, "[::1]:1");
  EXPECT_EQ(parse({}, environment).token, "secret");
  EXPECT_EQ(parse({"--server", "localhost:2"}, environment).server, "localhost:2");
  EXPECT_EQ(parse({"--server=localhost:3"}, environment).server, "localhost:3");
}

TEST(Options, LeavesWhatItDoesNotKnow) {
  std::vector<std::string> arguments = {"--bot", "random", "--name", "anna", "--max-matches", "3"};
  const Options options = Options::from_arguments(arguments, [](const std::string&) { return ""; });
  EXPECT_EQ(arguments, (std::vector<std::string>{"--bot", "random"}));
  EXPECT_EQ(options.name, "anna");
  EXPECT_EQ(options.max_matches, 3);
}

TEST(Options, ReadsTheTokenOfAFile) {
  const std::string path = testing::TempDir() + "token_file";
  std::ofstream(path) << "secret\n";
  EXPECT_EQ(parse({"--token-file", path}).token, "secret");
  std::ofstream(path) << "two words\n";
  EXPECT_EQ(problem_of({"--token-file", path}), path + " must hold a token and nothing else");
  std::remove(path.c_str());
  EXPECT_NE(problem_of({"--token-file", path}), "");
}

TEST(Options, SendsNoTokenInTheOpen) {
  const std::map<std::string, std::string> token = {{"HANSA_TOKEN", "secret"}};
  for (const std::string server : {"127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "localhost:1"})
    EXPECT_EQ(problem_of({"--server", server}, token), "") << server;
  for (const std::string server : {"10.0.0.1:1", "[2001:db8::1]:1", "example.org:1", "127.0.0.1.example.org:1"}) {
    EXPECT_NE(problem_of({"--server", server}, token).find("in the open"), std::string::npos) << server;
    EXPECT_EQ(problem_of({"--server", server, "--tls"}, token), "") << server;
    EXPECT_EQ(problem_of({"--server", server}), "") << server;
  }
}

TEST(Options, NamesWhatIsWrong) {
  EXPECT_EQ(problem_of({"--server", "nowhere"}), "--server must be HOST:PORT, not 'nowhere'");
  EXPECT_EQ(problem_of({"--server", "host:port"}), "--server must be HOST:PORT, not 'host:port'");
  EXPECT_EQ(problem_of({"--max-matches", "many"}), "--max-matches must be a number from 1 on, not 'many'");
  EXPECT_EQ(problem_of({"--tls-cert", "file"}), "--tls-cert and --tls-key come together");
  EXPECT_EQ(problem_of({"--name"}), "--name needs a value");
}

}  // namespace
