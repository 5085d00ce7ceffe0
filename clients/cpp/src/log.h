// One line to the error output, with the time.
#pragma once

#include <string>

namespace hansa {

void log(const std::string& line);

}  // namespace hansa
