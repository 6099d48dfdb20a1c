// Recursive scan of blocks in local memory. Host side of kernels/scan/recursive.cl and
// recursive_vectors.cl.
// SPDX-License-Identifier: MIT
#include "ops/scan/scan.h"

#include "core/size.h"

#include <bit>

namespace gpcl::scan {
namespace {

// One of the three variants.
struct Variant {
    const char *file;
    const char *scan_kernel;
    const char *add_kernel;
    size_t vector; // elements of each of a work-item's two vectors
    const char *option;
};

constexpr Variant kPlain = {"scan/recursive.cl", "scan_blocks", "add_sums", 1, ""};
constexpr Variant kPadded = {"scan/recursive.cl", "scan_blocks", "add_sums", 1, " -DGP_CONFLICT_FREE"};
constexpr Variant kVectors = {"scan/recursive_vectors.cl", "scan_vector_blocks", "add_vector_sums", 8, ""};

struct Level {
    cl::Task &task;
    cl::Program &program;
    const Variant &variant;
    size_t group, element_bytes;

    void scan(const cl::Operand &in, const cl::Operand &out, uint64_t n, bool exclusive, bool reverse) const {
        const uint64_t blocks = ceil_div<uint64_t>(n, 2 * group * variant.vector);
        const auto groups = cl::Range::groups(blocks, group);
        const auto sums = task.work_space(blocks * element_bytes);
        task.launch(program, variant.scan_kernel, groups, in, out, sums, n, uint32_t{exclusive}, uint32_t{reverse});
        if (blocks == 1) return;
        scan(sums, sums, blocks, true, false);
        task.launch(program, variant.add_kernel, groups, sums, out, n, uint32_t{reverse});
    }
};

template <const Variant &kVariant> void run(cl::Task &task, const Request &r) {
    const size_t group = std::bit_floor(std::min<size_t>(task.context().info().work_group_size, 256));
    const auto program =
        task.program({kVariant.file, text(r.combine.options(r.dtype), " -DGP_GROUP=", group, kVariant.option),
                      r.combine.preamble()});
    Level{task, *program, kVariant, group, dtype(r.dtype).size}.scan(r.in, r.out, r.n, r.exclusive, r.reverse);
}

Refusal refuses(const cl::Context &context, const Request &request) {
    constexpr size_t kLocalBytes = 5 << 10; // 512 elements of 8 bytes, and gaps
    if (context.info().local_bytes < kLocalBytes)
        return {"it needs ", kLocalBytes, " bytes of local memory for ", dtype(request.dtype).name};
    return refuses_carries(request);
}

constexpr const char *kHarris = "Harris, Sengupta and Owens, Parallel Prefix Sum (Scan) with CUDA, 2007";

} // namespace

const Algorithm kRecursive = {
    {"recursive", "blocks scanned in local memory, their sums scanned the same way", kHarris, false, Suits::kByName},
    refuses,
    run<kPlain>};

const Algorithm kRecursiveConflictFree = {{"recursive-conflict-free",
                                           "as recursive, with gaps in local memory that avoid bank conflicts", kHarris,
                                           false, Suits::kByName},
                                          refuses,
                                          run<kPadded>};

const Algorithm kRecursiveVectors = {
    {"recursive-vectors", "as recursive, with two vectors of 8 a work-item", kHarris, false, Suits::kByName},
    refuses,
    run<kVectors>};

} // namespace gpcl::scan
