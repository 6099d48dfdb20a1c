// gpcl selftest: histogram.
// SPDX-License-Identifier: MIT
#include "selftest.h"

namespace command {

void check_histogram(Selftest &test) {
    test.group("histogram uint8", GP_HISTOGRAM, [&](const char *algorithm) {
        Random random(5);
        for (const auto n : test.sizes())
            for (const bool skewed : {false, true}) {
                std::vector<uint8_t> in(n);
                for (auto &element : in)
                    element = skewed && random() % 8 ? uint8_t{200} : static_cast<uint8_t>(random());
                std::vector<uint64_t> expected(256), counts(256, 77);
                for (const auto element : in) ++expected[element];
                gp_histogram_options o = GP_HISTOGRAM_OPTIONS_INIT;
                o.algorithm = algorithm;
                if (test.ran(gp_histogram(test.context, GP_UINT8, n, in.data(), 256, counts.data(), &o), algorithm))
                    test.compare(expected, counts, skewed ? "skewed" : "random", n);
            }
    });
}

} // namespace command
