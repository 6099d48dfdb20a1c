// What gpcl demo prints its steps with: numbers, a table of times.
// SPDX-License-Identifier: MIT
#pragma once

#include "support.h"

#include <string>
#include <vector>

namespace command {

// 1234567 as "1,234,567".
std::string grouped(int64_t number);

// "verified", or "WRONG", which makes the demo fail.
class Verdict {
  public:
    const char *operator()(bool right) {
        all_ = all_ && right;
        return right ? "verified" : "WRONG";
    }
    bool all() const { return all_; }

  private:
    bool all_ = true;
};

// Runs each step twice: the first time with all that comes but once, such as building programs,
// then for the times.
class TimeTable {
  public:
    // `run` does the step from the beginning and returns its times, but for wall, which is taken
    // here.
    template <typename Run> void step(const std::string &name, Run &&run) {
        const Progress progress(name);
        const Stopwatch first;
        run();
        const auto first_wall = first.milliseconds();
        const Stopwatch watch;
        auto times = run();
        times.wall = watch.milliseconds();
        rows_.push_back({name, times, first_wall});
    }
    const Times &last() const { return rows_.back().times; }
    void print() const;

  private:
    struct Row {
        std::string name;
        Times times;
        double first_wall;
    };
    std::vector<Row> rows_;
};

} // namespace command
