// What can go wrong for a bot.
//
// ClientError
// ├── OptionError      an option, or options that do not go together
// ├── RefusedError     the server does not let this bot in, and trying again would not help
// └── ReplacedError    another process plays under the same name or token
#pragma once

#include <stdexcept>

namespace hansa {

// Base of all errors of this library. The text says what to do about it.
class ClientError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class OptionError : public ClientError {
 public:
  using ClientError::ClientError;
};

class RefusedError : public ClientError {
 public:
  using ClientError::ClientError;
};

class ReplacedError : public ClientError {
 public:
  using ClientError::ClientError;
};

}  // namespace hansa
