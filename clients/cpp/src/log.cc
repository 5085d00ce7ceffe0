#include "log.h"

#include <chrono>
#include <cstdio>
#include <ctime>

namespace hansa {

void log(const std::string& line) {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  localtime_r(&now, &parts);
  char time[16];
  std::strftime(time, sizeof time, "%H:%M:%S", &parts);
  std::fprintf(stderr, "%s %s\n", time, line.c_str());  // one call, so lines of several threads do not mix
}

}  // namespace hansa
