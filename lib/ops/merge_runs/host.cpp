// Merge of runs on "host".
// SPDX-License-Identifier: MIT
#include "host/merge.h"
#include "ops/merge_runs/merge_runs.h"

namespace gpcl::merge_runs {
namespace {

// One core of two with AVX-512, microseconds of passes and of a sort: uint8 65536, 1 pass 152, 34;
// uint16 65536, 1 pass 211, 229, 2^23, 15000, 7900; uint32 65536, 1 pass 173, 187, 2 passes 346,
// 185; uint64 65536, 1 pass 182, 339, 2 passes 362, 318, 2^23, 2 passes 68000, 86700. With values
// of 4 bytes, uint32 65536, 1 pass 382, 431, 2 passes 631, 372; of 8, uint64 65536, 3 passes 1197,
// 1255.
constexpr std::array<Row<SortsFrom>, 5> kSortsFrom = {{
    {{0, 0, 2}, {1, 2}},
    {{0, 0, 4, 1 << 21}, {2, 2}},
    {{0, 0, 4}, {2, 3}},
    {{0, 0, 8, 1 << 21}, {2, 4}},
    {{}, {3, 4}},
}};

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host merge of runs", r, [](const Request &r, const auto &at) {
        const Segments runs{r.runs, r.offset_type, at(r.offsets)};
        host::merge_runs(r.dtype, r.descending, runs, {at(r.in.keys), r.n, at(r.in.values)}, at(r.out.keys),
                         r.value_size, at(r.out.values));
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

bool fits(const cl::Context &context, const Request &r) {
    return merges(r, shape_for(kSortsFrom, context, dtype(r.dtype).size, r.n));
}

} // namespace

const Algorithm kHost = natively<Request>(
    {{"host", "CPU threads, without OpenCL, which merge runs two by two",
      "Odeh, Green, Mwassi, Shmueli and Birk, \"Merge Path: Parallel Merging Made Simple\", 2012", true},
     refuses,
     run,
     fits});

} // namespace gpcl::merge_runs
