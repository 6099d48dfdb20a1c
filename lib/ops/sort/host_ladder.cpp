// Steps of the ladder on "host": plain sorts on one core of lib/host.
// SPDX-License-Identifier: MIT
#include "host/sort_ladder.h"

#include "ops/sort/ladder.h"

namespace gpcl::sort {
namespace {

Refusal refuses_unstable(const cl::Context &, const Request &r) { return refuses_step(r, false); }
Refusal refuses_stable(const cl::Context &, const Request &r) { return refuses_step(r, true); }

void run(cl::Task &task, const Request &r, const char *name, decltype(host::radix16) &sort) {
    task.on_host(GP_KERNEL, name, [&] { sort(r.dtype, r.n, r.keys.host, r.descending); });
}

void run_qsort(cl::Task &task, const Request &r) { run(task, r, "host qsort", host::c_qsort); }
void run_std_sort(cl::Task &task, const Request &r) { run(task, r, "host std::sort", host::std_sort); }
void run_radix16(cl::Task &task, const Request &r) { run(task, r, "host radix16", host::radix16); }

} // namespace

const Algorithm kHostQsort = {
    {"host-qsort", "C's qsort, one core", "ISO C, 7.22.5.2; Hoare, \"Quicksort\", 1962", true, Suits::kByName},
    refuses_unstable,
    run_qsort};

const Algorithm kHostStdSort = {{"host-std-sort", "C++'s std::sort, one core",
                                 "Musser, \"Introspective Sorting and Selection Algorithms\", 1997", true,
                                 Suits::kByName},
                                refuses_unstable,
                                run_std_sort};

const Algorithm kHostRadix16 = {{"host-radix16", "radix sort by 16 bits, one core",
                                 "Gruber, \"GPGPU Computing with OpenCL\", 2013, after AMD's APP SDK", true,
                                 Suits::kByName},
                                refuses_stable,
                                run_radix16};

} // namespace gpcl::sort
