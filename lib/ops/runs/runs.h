// Runs of keys: the request that gp_run_lengths and gp_reduce_by_key make of them, and the
// algorithms that both have.
// SPDX-License-Identifier: MIT
#pragma once

#include "host/runs.h"
#include "ops/combine.h"
#include "ops/key_order.h"
#include "ops/operation.h"

namespace gpcl::runs {

// A checked call. What is not wanted has no operand, but the count's in its place.
struct Request {
    gp_dtype key = GP_INT32;
    size_t n = 0;               // the most there may be
    size_t capacity = 0;        // n at most
    bool reduces = false;       // gp_reduce_by_key
    gp_dtype from = GP_UINT32;  // of values
    gp_dtype dtype = GP_UINT32; // of results: lengths, or combinations of values
    Combine combine;
    bool any_order = false; // of the host's algorithm; for others keys are sorted before
    bool has_keys = false, has_results = false, has_firsts = false, has_bound = false;
    cl::Operand keys;
    cl::Operand values;
    cl::Operand bound; // how many elements there are
    cl::Operand out_keys;
    cl::Operand results;
    cl::Operand firsts;
    cl::Operand count;

    // GP_KEYS_WANTED and so on of kernels/runs/runs.cl.
    uint32_t wanted() const { return uint32_t{has_keys} | uint32_t{has_results} << 1 | uint32_t{has_firsts} << 2; }

    gp_operation operation() const { return reduces ? GP_REDUCE_BY_KEY : GP_RUN_LENGTHS; }
    // What the operation's tuning tells apart.
    gp_dtype tuned_type() const { return reduces ? from : key; }
    gp_dtype proved_type() const { return reduces ? dtype : key; }
    // Of elements in memory.
    size_t key_bytes() const { return gpcl::dtype(key).size; }
    size_t result_bytes() const { return gpcl::dtype(dtype).size; }
    // Of the kernel file.
    std::string options() const;
};

using Algorithm = gpcl::Algorithm<Request>;

// Of each operation.
struct Algorithms {
    Algorithm lengths, by_key;
};
extern const Algorithms kChunks; // chunks.cpp: one work-item a chunk, for CPUs
extern const Algorithms kHost;   // host.cpp: lib/host
// One pass over tiles, for NVIDIA GPUs; and the same that takes every tile for late, to test what
// stands in for it.
extern const Algorithm kLengthsLookBack, kLengthsLookBackFallback; // lengths_look_back.cpp
extern const Algorithm kByKeyLookBack, kByKeyLookBackFallback;     // look_back.cpp

std::span<const Algorithm> length_algorithms();
std::span<const Algorithm> by_key_algorithms();

extern const Operation kLengthsOperation;  // run_lengths.cpp
extern const Operation kByKeyOperation;    // reduce_by_key.cpp
extern const place::Kind kLengths, kByKey; // place.cpp
void prove_lengths(Proof &proof);          // prove.cpp
void prove_by_key(Proof &proof);

// What lib/host is told of a request.
host::Runs on_host(const Request &r, const cl::Pointers &at);

// Launches a kernel behind GP_RUNS of kernels/runs/runs.cl.
template <class... Args> void launch(cl::Task &task, cl::Program &program, const char *kernel, const cl::Range &range,
                                     const Request &r, const Args &...args) {
    task.launch(program, kernel, range, r.keys, r.values, r.bound, uint32_t{r.has_bound}, uint64_t{r.n}, r.out_keys,
                r.results, r.firsts, r.count, r.wanted(), uint64_t{r.capacity}, args...);
}

// What both operations do on host pointers: outputs of as many elements as there are runs, and
// nothing behind them.
struct Output {
    void *to;     // NULL: not wanted
    size_t bytes; // of an element
};
class Outputs {
  public:
    Outputs(cl::Task &task, const Request &request) : task_(task), capacity_(request.capacity) {}
    // The operand of an output; of the count, where it is not wanted.
    cl::Operand add(const Output &output, const cl::Operand &count);
    // Of the count.
    cl::Operand add_count(uint64_t *count);
    // Behind the algorithm: brings what was written. Then the task may end.
    void fetch();

  private:
    struct Apart {
        cl::Operand from;
        Output output;
    };
    cl::Task &task_;
    size_t capacity_;
    uint64_t *count_ = nullptr;
    cl::Operand count_apart_;
    std::vector<Apart> apart_;
};

// Of arrays of a call, all of which lie apart.
struct Named {
    Extent extent;
    const char *argument;
    bool is_output;
};
void require_apart(std::initializer_list<Named> arrays);

} // namespace gpcl::runs
