// gpcl selftest: every operation, type and main option on a device, against plain loops on the
// host.
// SPDX-License-Identifier: MIT
#include "selftest.h"

#include "bench.h"
#include "words.h"

#include <cstdio>

namespace command {

void Selftest::run(const std::string &name, const char *algorithm, const std::function<void(const char *)> &body) {
    const auto title = algorithm ? name + " (" + algorithm + ")" : name;
    progress(title);
    checks_ = refused_ = 0;
    ++groups_;
    std::string problem;
    const Stopwatch watch;
    try {
        body(algorithm);
    } catch (const Wrong &wrong) {
        problem = wrong.what + ", n = " + std::to_string(wrong.n) + ": first wrong at index " +
                  std::to_string(wrong.index) + ", expected " + wrong.expected + ", got " + wrong.got;
    } catch (const Failure &failure) {
        problem = std::string(gp_status_name(failure.status)) + ": " + failure.what();
    }
    progress_.clear();
    all_checks_ += checks_;
    if (!problem.empty()) {
        ++failed_;
        std::printf("%-44s FAILED %s\n", title.c_str(), problem.c_str());
    } else if (checks_ == 0) {
        ++skipped_;
        std::printf("%-44s skipped: the algorithm refuses these requests\n", title.c_str());
    } else {
        const auto left_out = refused_ ? ", " + std::to_string(refused_) + " refused" : std::string();
        std::printf("%-44s ok     %5zu checks in %.0f ms%s\n", title.c_str(), checks_, watch.milliseconds(),
                    left_out.c_str());
    }
    std::fflush(stdout);
}

void Selftest::group(const std::string &name, gp_operation operation, const std::function<void(const char *)> &body) {
    if (!wanted(name)) return;
    if (!options_.every_algorithm || operation == 0) return run(name, nullptr, body);
    for (const auto &each : algorithms_of(operation))
        if ((each.on_host != 0) == (info.kind == GP_DEVICE_HOST)) run(name, each.name, body);
}

void Selftest::skip(const std::string &name, const std::string &reason) {
    if (!wanted(name)) return;
    progress_.clear();
    ++groups_;
    ++skipped_;
    std::printf("%-44s skipped: %s\n", name.c_str(), reason.c_str());
}

bool Selftest::ran(gp_status status, const char *algorithm) {
    if (status == GP_ERROR_ALGORITHM_REFUSED && algorithm) {
        ++refused_;
        return false;
    }
    ++checks_;
    check(status);
    return true;
}

std::vector<size_t> Selftest::sizes() const {
    std::vector<size_t> sizes;
    for (const size_t n : {0u, 1u, 2u, 33u, 255u, 256u, 257u, 4097u, 100003u})
        if (n <= options_.max_n) sizes.push_back(n);
    return sizes;
}

int Selftest::finish() const {
    std::printf("%zu groups: %zu ok, %zu FAILED, %zu skipped; %zu checks on %s\n", groups_,
                groups_ - failed_ - skipped_, failed_, skipped_, all_checks_, device_name(info).c_str());
    return failed_ ? 1 : 0;
}

// Proves each algorithm for all types, instead of when it is first chosen.
void check_proofs(Selftest &test) {
    for (const auto *operation : operations()) {
        const auto algorithms = algorithms_of(operation->code);
        for (size_t i = 0; i < algorithms.size(); ++i) {
            if (algorithms[i].needs_proof == 0) continue;
            test.group(std::string(operation->name) + " " + algorithms[i].name, 0, [&](const char *) {
                for (gp_dtype dtype = GP_INT8; dtype <= GP_BFLOAT16; ++dtype) {
                    const gp_status status = gp_prove(test.context, operation->code, i, dtype, 1);
                    if (status != GP_ERROR_DTYPE) test.ran(status, nullptr);
                }
            });
        }
    }
}

int selftest(const SelftestOptions &options) {
    const Context context(options.device);
    const auto info = context.info();
    std::printf("gpcl %s on %s\n", gp_version(), device_name(info).c_str());
    Selftest test(context, info, options);
    if (options.prove) {
        check_proofs(test);
        return test.finish();
    }
    check_buffers(test);
    check_prefix(test);
    check_sort(test);
    check_matmul(test);
    check_paths(test);
    check_elementwise(test);
    check_movement(test);
    check_runs(test);
    check_histogram(test);
    check_recurrence(test);
    if (test.groups() == 0) {
        const auto near = did_you_mean(options.only, operation_names());
        throw Failure("no group has '" + options.only + "' in its name" + near);
    }
    return test.finish();
}

} // namespace command
