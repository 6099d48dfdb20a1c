// Names that are typed: what was probably meant by one that does not exist.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace command {

// "; did you mean sort?" where `word` comes near one of `names`, begins it, or is its name in other
// programs, else "".
std::string did_you_mean(const std::string &word, const std::vector<std::string> &names);

// The lines of a text, broken at spaces where they are longer than that; what follows a break
// stands below what comes behind the last gap of a line (two spaces or more), as in a list of two
// columns. 0 columns: the text as it is.
std::string wrapped(const std::string &text, size_t columns);

// `text` and spaces up to that many columns.
std::string padded(std::string text, size_t columns);

// "add, multiply or maximum".
std::string listed(const std::vector<std::string> &names);

} // namespace command
