// What gpcl demo prints its steps with; see demo_table.h.
// SPDX-License-Identifier: MIT
#include "demo_table.h"

#include <algorithm>
#include <cstdio>

namespace command {

std::string grouped(int64_t number) {
    auto text = std::to_string(number);
    const size_t first = number < 0 ? 1 : 0;
    for (auto at = text.size(); at > first + 3;) text.insert(at -= 3, 1, ',');
    return text;
}

void TimeTable::print() const {
    std::printf("Times in ms. first: with building programs or reading them from the cache\n\n");
    int width = 0;
    for (const auto &row : rows_) width = std::max(width, static_cast<int>(row.name.size()));
    std::printf("  %-*s %8s %8s %8s %8s %8s\n", width, "step", "first", "up", "run", "down", "total");
    for (const auto &[name, times, first_wall] : rows_)
        std::printf("  %-*s %8.2f %8.3f %8.3f %8.3f %8.2f\n", width, name.c_str(), first_wall, times.upload, times.run,
                    times.download, times.wall);
}

} // namespace command
