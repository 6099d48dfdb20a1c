// Hostile calls of gp_sort and its like: ties, which tell whether a sort is stable, NaN and both
// zeros, keys that differ in one digit alone, rows.
// SPDX-License-Identifier: MIT
#include "ops/proof.h"
#include "ops/sort/sort.h"

#include <limits>
#include <string_view>

namespace gpcl::sort {
namespace {

constexpr size_t kMany = (size_t{1} << 16) + 3, kRows = 29;

struct Keys {
    const char *name;
    Elements keys;
};

// Any bits there can be.
Elements any_keys(gp_dtype type, size_t n) {
    if (!is_float(type)) return elements(type, n, scrambled);
    return elements(type, n, [](size_t i) {
        constexpr double kSpecial[] = {std::numeric_limits<double>::quiet_NaN(),
                                       std::numeric_limits<double>::infinity(),
                                       -std::numeric_limits<double>::infinity(), 0.0, -0.0};
        const uint64_t bits = scrambled(i);
        return bits % 64 < std::size(kSpecial) ? kSpecial[bits % 64] : static_cast<double>(static_cast<int64_t>(bits));
    });
}

void compare(Proof &proof, const std::string &what, const Elements &keys, size_t batch) {
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    options.batch = batch;
    const size_t all = keys.size(), n = all / batch;
    const Elements values = elements(GP_UINT32, all, [](size_t i) { return i; });
    proof.compare(text(what, ", with values"), {keys, values},
                  [&](gp_context *context, const char *algorithm, std::vector<Elements> &arrays) {
                      options.algorithm = algorithm;
                      return gp_sort_pairs(context, proof.dtype, n, arrays[0].data(), sizeof(uint32_t),
                                           arrays[1].data(), &options);
                  });
}

void compare_keys(Proof &proof, const std::string &what, const Elements &keys, size_t batch) {
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    options.batch = batch;
    proof.compare(what, {keys}, [&](gp_context *context, const char *algorithm, std::vector<Elements> &arrays) {
        options.algorithm = algorithm;
        return gp_sort(context, proof.dtype, keys.size() / batch, arrays[0].data(), &options);
    });
}

} // namespace

// Algorithms for rows take those alone, and the others arrays alone: each has two programs here,
// keys and pairs.
void prove(Proof &proof) {
    const gp_dtype type = proof.dtype;
    if (std::string_view(proof.algorithm).starts_with("row-")) {
        for (const size_t n : {7, 300, 2049}) {
            compare(proof, text("rows of ", n), any_keys(type, kRows * n), kRows);
            compare_keys(proof, text("rows of ", n), any_keys(type, kRows * n), kRows);
        }
        return;
    }
    for (const size_t n : {size_t{1}, size_t{1000}, size_t{9000}, kMany}) {
        const Keys cases[] = {{"ties", elements(type, n, [](size_t i) { return scrambled(i) % 5; })},
                              {"one digit", elements(type, n, [](size_t i) { return scrambled(i) % 97 + 16; })},
                              {"any keys", any_keys(type, n)}};
        for (const auto &[name, keys] : cases) compare(proof, text(name, ", n = ", n), keys, 1);
        compare_keys(proof, text("any keys, n = ", n), cases[2].keys, 1);
    }
}

} // namespace gpcl::sort
