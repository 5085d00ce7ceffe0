// How to reach the server: the command line before the environment before the defaults.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace hansa {

// The value of a variable of the environment, empty if it is not set.
using Environment = std::function<std::string(const std::string&)>;
std::string process_environment(const std::string& name);

struct Options {
  std::string server = "127.0.0.1:7717";  // host:port
  std::string token{};
  std::string name{};             // instead of the bot's own
  int max_matches = 0;            // instead of the bot's own; 0 leaves it
  bool tls = false;               // use TLS with the certificates this machine trusts
  std::string tls_ca{};           // PEM file of the authority that signed the server's certificate; turns TLS on
  std::string tls_certificate{};  // PEM file of the bot's own certificate, for mutual TLS
  std::string tls_key{};          // PEM file of its key
  std::chrono::duration<double> first_delay{
      0.2};  // before the first new attempt to connect, doubled with each further one
  std::chrono::duration<double> longest_delay{5.0};  // between attempts, at most

  // Throws OptionError if these options cannot be, or would send the token in the open to another machine.
  void check() const;
  bool uses_tls() const;
  // Whether the server is on this machine.
  bool is_loopback() const;

  // Takes the options of every bot out of the arguments, leaves the others in them, and fills up from the environment.
  // Throws OptionError.
  static Options from_arguments(std::vector<std::string>& arguments,
                                const Environment& environment = process_environment);
  // The lines of `--help` about these options.
  static std::string help();
};

// What a file holds. Throws OptionError if it cannot be read.
std::string read_file(const std::string& path);

}  // namespace hansa
