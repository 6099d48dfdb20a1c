// Names that are typed: what was probably meant by one that does not exist.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace command {

// "; did you mean sort?" where `word` comes near one of `names`, begins it, or is its name in other
// programs, else "".
std::string did_you_mean(const std::string &word, const std::vector<std::string> &names);

// "add, multiply or maximum".
std::string listed(const std::vector<std::string> &names);

} // namespace command
