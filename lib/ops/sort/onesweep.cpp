// Radix sort that reads and writes every key once a pass, for GPUs that keep work-groups running side by side. Host side of
// kernels/sort/onesweep.cl.
// SPDX-License-Identifier: MIT
#include "ops/sort/passes.h"

#include "core/size.h"

#include <bit>

namespace gpcl::sort {
namespace {

struct Shape {
    size_t group, keys, groups_per_unit;
};

// Measured on an H200, uint32, n = 2^27, Gkey/s: 256 x 48 x 3: 41.1; 384 x 32 x 3: 40.8; 512 x 24 x 2: 39.1; 256 x 24 x 4:
// 37.2; 1024 x 12 x 1: 37.0; 512 x 16 x 2: 32.7.
Shape shape(const cl::Context &context, const Request &r) {
    if (!context.has_nvidia_ptx()) return {256, 4, 2};
    const size_t bytes = std::max(dtype(r.dtype).size, travelling_bytes(r));
    if (bytes <= 4 && travelling_bytes(r) == 0) return {256, 48, 3};
    return {512, bytes > 4 ? size_t{12} : size_t{16}, 2};
}

void run(cl::Task &task, const Request &r) {
    const auto &context = task.context();
    const auto [group, keys, groups_per_unit] = shape(context, r);
    const size_t tiles = ceil_div(r.n, group * keys);
    const size_t groups = std::min(tiles, groups_per_unit * context.info().compute_units);
    const size_t ring = std::min(std::bit_ceil(2 * groups + 1), std::bit_ceil(tiles + 1));
    // Where work-groups run one after the other, waiting is of no use.
    const char *options = context.has_nvidia_ptx() ? " -DGP_SHUFFLE -DGP_PATIENCE=100000" : " -DGP_PATIENCE=100";
    const auto program = task.context().program(
        "sort/onesweep.cl", text(key_options(r), " -DGP_GROUP=", group, " -DGP_KEYS=", keys, options));
    const size_t passes = dtype(r.dtype).size;
    const size_t state_bytes = 16 + ring * kDigits * sizeof(uint64_t); // of one pass
    const auto totals = task.work_space(passes * kDigits * sizeof(uint32_t));
    const auto state = task.work_space(passes * state_bytes);
    const uint32_t zero = 0;
    task.fill(totals.memory, 0, passes * kDigits * sizeof(uint32_t), &zero, sizeof zero);
    task.fill(state.memory, 0, passes * state_bytes, &zero, sizeof zero);
    const uint64_t n = r.n;
    const uint64_t flip = flipped_bits(r);
    const auto range = cl::Range::groups(groups, group);
    task.launch(*program, "sort_count_digits", range, n, flip, r.keys, totals);
    run_passes(task, r, [&](const Pass &pass) {
        const uint32_t shift = pass.shift;
        const auto row = static_cast<uint32_t>(ring);
        const auto counts = state + pass.shift / kDigitBits * (state_bytes / sizeof(uint64_t));
        if (travelling_bytes(r) == 0) {
            task.launch(*program, "sort_onesweep", range, n, shift, flip, pass.keys_in, pass.keys_out, totals, counts,
                        row);
        } else {
            const Stand values_in = or_else(pass.values_in, pass.values_out);
            const Stand keys_out = or_else(pass.keys_out, counts);
            task.launch(*program, "sort_onesweep", range, n, shift, flip, pass.keys_in, keys_out.operand, totals,
                        counts, row, values_in.operand, pass.values_out, values_in.absent, keys_out.absent);
        }
    });
}

std::string refuses(cl::Task &task, const Request &request) {
    const auto &info = task.context().info();
    if (info.work_group_size < 256) return text("it needs work-groups of 256; the device has ", info.work_group_size);
    constexpr size_t kLocalBytes = 64 << 10; // what the largest keys take; NVIDIA's compiler gives more than it says
    if (info.local_bytes < kLocalBytes && !task.context().has_nvidia_ptx())
        return text("it needs ", kLocalBytes, " bytes of local memory; the device has ", info.local_bytes);
    if (request.n >= uint64_t{1} << 31) return "it counts keys and tiles in 32 bits";
    return {};
}

} // namespace

const Algorithm kOnesweep = {{"onesweep",
                              "radix sort in one pass a digit, tiles look up what lies before them; for NVIDIA",
                              "Adinets and Merrill, Onesweep, 2022", false, Suits::kNvidia},
                             refuses,
                             run};

} // namespace gpcl::sort
