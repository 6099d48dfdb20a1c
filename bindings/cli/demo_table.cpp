// What gpcl demo prints its steps with; see demo_table.h.
// SPDX-License-Identifier: MIT
#include "demo_table.h"

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
    std::printf("   %-42s %9s %9s %9s %9s %9s\n", "step", "first", "up", "run", "down", "total");
    for (const auto &[name, times, first_wall] : rows_)
        std::printf("   %-42s %9.2f %9.3f %9.3f %9.3f %9.2f\n", name.c_str(), first_wall, times.upload, times.run,
                    times.download, times.wall);
}

} // namespace command
