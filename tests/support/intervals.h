// Intervals of time, as gp_event_command gives them.
#ifndef GPCL_TESTS_SUPPORT_INTERVALS_H
#define GPCL_TESTS_SUPPORT_INTERVALS_H

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace test {

using Intervals = std::vector<std::pair<uint64_t, uint64_t>>; // start and end

// How long at least one of the intervals lasted: what lies between two borders counts where an
// interval covers it.
inline uint64_t covered(const Intervals &intervals) {
    std::set<uint64_t> borders;
    for (const auto &[start, end] : intervals) borders.insert({start, end});
    uint64_t sum = 0, from = 0;
    for (const uint64_t border : borders) {
        for (const auto &[start, end] : intervals)
            if (start <= from && border <= end && from < border) {
                sum += border - from;
                break;
            }
        from = border;
    }
    return sum;
}

} // namespace test

#endif
