#include "hansa/options.h"

#include <arpa/inet.h>

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

#include "hansa/errors.h"

namespace hansa {
namespace {

std::string host_of(const std::string& server) {
  std::string host = server.substr(0, server.rfind(':'));
  if (host.size() > 1 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  return host;
}

// The token in a file that holds nothing else.
std::string read_token(const std::string& path) {
  std::istringstream words(read_file(path));
  std::string token, more;
  if (!(words >> token) || (words >> more)) throw OptionError(path + " must hold a token and nothing else");
  return token;
}

int number(const std::string& option, const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1)
    throw OptionError(option + " must be a number from 1 on, not '" + text + "'");
  return value;
}

}  // namespace

std::string process_environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) throw OptionError(path + " cannot be read, or is empty");
  return text.str();
}

bool Options::uses_tls() const { return tls || !tls_ca.empty() || !tls_certificate.empty(); }

bool Options::is_loopback() const {
  const std::string host = host_of(server);
  in_addr v4{};
  in6_addr v6{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24 == 127;
  if (inet_pton(AF_INET6, host.c_str(), &v6) == 1) return IN6_IS_ADDR_LOOPBACK(&v6);
  return host == "localhost";
}

void Options::check() const {
  const auto colon = server.rfind(':');
  const bool has_port = colon != std::string::npos && colon > 0 && colon + 1 < server.size() &&
                        server.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  if (!has_port) throw OptionError("--server must be HOST:PORT, not '" + server + "'");
  if (max_matches < 0) throw OptionError("--max-matches must not be negative");
  if (tls_certificate.empty() != tls_key.empty()) throw OptionError("--tls-cert and --tls-key come together");
  if (!token.empty() && !uses_tls() && !is_loopback())
    throw OptionError("a token must not travel in the open to " + host_of(server) + ": use --tls or --tls-ca");
}

Options Options::from_arguments(std::vector<std::string>& arguments, const Environment& environment) {
  Options options;
  options.token = environment("HANSA_TOKEN");
  if (const std::string server = environment("HANSA_SERVER"); !server.empty()) options.server = server;

  std::vector<std::string> others;
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    std::string option = arguments[at];
    std::optional<std::string> joined;  // as in --server=HOST:PORT
    if (const auto equals = option.find('='); option.starts_with("--") && equals != std::string::npos) {
      joined = option.substr(equals + 1);
      option.resize(equals);
    }
    const auto value = [&]() -> std::string {
      if (joined) return *joined;
      if (at + 1 >= arguments.size()) throw OptionError(option + " needs a value");
      return arguments[++at];
    };
    if (option == "--server")
      options.server = value();
    else if (option == "--token-file")
      options.token = read_token(value());
    else if (option == "--name")
      options.name = value();
    else if (option == "--max-matches")
      options.max_matches = number(option, value());
    else if (option == "--tls" && !joined)
      options.tls = true;
    else if (option == "--tls-ca")
      options.tls_ca = value();
    else if (option == "--tls-cert")
      options.tls_certificate = value();
    else if (option == "--tls-key")
      options.tls_key = value();
    else
      others.push_back(arguments[at]);
  }
  arguments = std::move(others);
  options.check();
  return options;
}

std::string Options::help() {
  return "  --server HOST:PORT  where to play; HANSA_SERVER, or 127.0.0.1:7717\n"
         "  --token-file FILE   a file that holds the bot's token; or set HANSA_TOKEN\n"
         "  --name NAME         play under this name\n"
         "  --max-matches N     matches at once\n"
         "  --tls               encrypt, with the usual certificates\n"
         "  --tls-ca FILE       encrypt; the server's certificate is signed by this one\n"
         "  --tls-cert FILE     the bot's own certificate, for mutual TLS\n"
         "  --tls-key FILE      its key\n";
}

}  // namespace hansa
