// gp_search: checks, choice of algorithm.
// SPDX-License-Identifier: MIT
#include "ops/search/search.h"

#include "core/options.h"
#include "core/size.h"
#include "ops/place.h"
#include "ops/room.h"

#include <limits>

namespace gpcl::search {

std::span<const Algorithm> algorithms() {
    static const std::array list = {kTiles, kChunks, kHost};
    return list;
}

namespace {

// What both forms of the call check and fill in alike.
struct Call {
    gp_search_options options;
    Request request; // without its operands
    size_t size, index_size;
};

Call read_call(gp_dtype dtype, size_t n, size_t m, gp_dtype index, const gp_search_options *given) {
    Call call{read_options(given, "options"), {}, 0, 0};
    Request &request = call.request;
    require_dtype(dtype, "dtype", kAllTypes);
    require_dtype(index, "index", kIndexTypes);
    require_choice(call.options.side, GP_RIGHT, "options->side");
    require_choice(call.options.order, GP_DESCENDING, "options->order");
    call.size = gpcl::dtype(dtype).size;
    call.index_size = gpcl::dtype(index).size;
    multiply(n, call.size, "n elements");
    multiply(m, call.size, "m values");
    multiply(m, call.index_size, "m positions");
    require(index != GP_UINT32 || n <= std::numeric_limits<uint32_t>::max(), GP_ERROR_TOO_LARGE, "n is ", n,
            "; positions of type uint32 reach 2^32 - 1");
    request.dtype = dtype;
    request.index = index;
    request.right = call.options.side == GP_RIGHT;
    request.descending = call.options.order == GP_DESCENDING;
    request.n = n;
    request.m = m;
    request.counted = read_counted(call.options, true);
    request.counted_m = read_counted({call.options.m_buffer, call.options.m_offset, "m"});
    return call;
}

void run(cl::Task &task, Call &call) {
    Request &request = call.request;
    if (request.n == 0) request.sorted = request.values;
    const Algorithm &algorithm = choose(algorithms(), call.options.algorithm, task.context(), request);
    if (request.m > 0) algorithm.run(task, request);
}

bool is_held(const cl::Context &context, const Call &call, size_t n, size_t m) {
    Request r = call.request;
    r.n = n;
    r.m = m;
    r.sorted = r.values = r.positions = cl::Operand::stand_in();
    return device_holds(context, {n * call.size, m * call.size, m * call.index_size},
                        [&](cl::Task &task) { choose(algorithms(), call.options.algorithm, context, r).run(task, r); });
}

// What the device can't hold, by parts of both arrays: a value's place is the sum of its places in
// all parts of the sorted ones.
void run_parts(cl::Task &task, Call &call, const std::byte *sorted, const std::byte *values, std::byte *positions) {
    Request &r = call.request;
    const size_t n = r.n, m = r.m;
    size_t some = n, few = m; // of a part
    while (!is_held(task.context(), call, some, few)) {
        if (some <= 1 && few <= 1) fail_to_hold(task.context());
        size_t &more = some * call.size > few * (call.size + call.index_size) || few <= 1 ? some : few;
        more = fewer(more);
    }
    cl::Kept<std::byte> before(some < n ? few * call.index_size : 0); // places in the parts so far
    for (size_t begin = 0; begin < m; begin += few) {
        r.m = std::min(few, m - begin);
        std::byte *const to = positions + begin * call.index_size;
        for (size_t first = 0; first < n; first += some) {
            cl::Task::Pass pass(task);
            r.n = std::min(some, n - first);
            r.sorted = task.input(sorted + first * call.size, r.n * call.size);
            r.values = task.input(values + begin * call.size, r.m * call.size);
            r.positions = task.output(to, r.m * call.index_size);
            run(task, call);
            pass.end();
            if (some == n) break;
            with_type(r.index, [&](auto zero) {
                using Index = decltype(zero);
                auto *const sums = reinterpret_cast<Index *>(before.data());
                auto *const places = reinterpret_cast<Index *>(to);
                for (size_t i = 0; i < r.m; ++i)
                    sums[i] = places[i] = static_cast<Index>((first == 0 ? Index{0} : sums[i]) + places[i]);
            });
        }
    }
}

void require_apart(bool overlapping, const char *other) {
    require(!overlapping, GP_ERROR_OVERLAP, "positions overlap ", other, "; expected them apart");
}

void add_defaults(Needed &needed, gp_dtype dtype) {
    needed.for_each_size(gpcl::dtype(dtype).size, 1, [&](size_t n) {
        for (const size_t m : {size_t{1}, n}) {
            Request request = read_call(dtype, n, m, GP_UINT64, nullptr).request;
            request.sorted = request.values = request.positions = cl::Operand::stand_in();
            needed.add(algorithms(), request);
            request.n = 1; // as many values, few elements
            needed.add(algorithms(), request);
        }
    });
}

gp_status smallest_calls(gp_context *context, gp_dtype dtype) {
    const uint64_t in[1] = {}; // holds one element of any type
    uint64_t position[1] = {};
    return gp_search(context, dtype, 1, in, 1, in, GP_UINT64, position, nullptr);
}

} // namespace

const Operation kOperation = {GP_SEARCH,    "search",       kAllTypes,      infos<algorithms>, parameters<algorithms>,
                              add_defaults, smallest_calls, one_kind<kKind>};

} // namespace gpcl::search

using namespace gpcl;

gp_status gp_search(gp_context *context, gp_dtype dtype, size_t n, const void *sorted, size_t m, const void *values,
                    gp_dtype index, void *positions, const gp_search_options *options) {
    return guard("gp_search", [&] {
        const auto device =
            placed(context, search::kOperation, search::kKind, dtype,
                   {real(m), {array_of(sorted, dtype, n), array_of(values, dtype, m)}, {array_of(positions, index, m)}},
                   options);
        search::Call call = search::read_call(dtype, n, m, index, options);
        search::Request &request = call.request;
        require_uncounted(request.counted);
        require_uncounted(request.counted_m, "m");
        require_array(sorted, n, call.size, "sorted");
        require_array(values, m, call.size, "values");
        require_array(positions, m, call.index_size, "positions");
        const size_t bytes = n * call.size, value_bytes = m * call.size, position_bytes = m * call.index_size;
        search::require_apart(overlap(sorted, bytes, positions, position_bytes), "sorted");
        search::require_apart(overlap(values, value_bytes, positions, position_bytes), "values");
        if (search::deal(context, request, call.options, sorted, values, positions)) return;
        cl::Task task(device, call.options.event);
        if (n > 0 && m > 0 && !search::is_held(*device, call, n, m)) {
            search::run_parts(task, call, static_cast<const std::byte *>(sorted),
                              static_cast<const std::byte *>(values), static_cast<std::byte *>(positions));
            return task.end();
        }
        if (m > 0) {
            if (n > 0) request.sorted = task.input(sorted, bytes);
            request.values = task.input(values, value_bytes);
            request.positions = task.output(positions, position_bytes);
        }
        search::run(task, call);
        task.end();
    });
}

gp_status gp_enqueue_search(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *sorted, size_t sorted_offset,
                            size_t m, gp_buffer *values, size_t values_offset, gp_dtype index, gp_buffer *positions,
                            size_t positions_offset, const gp_search_options *options, size_t wait_count,
                            gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_search", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto known = cl::known_options(options);
        const cl::Signature signature(*device, "gp_enqueue_search", options,
                                      {{sorted, sorted_offset},
                                       {values, values_offset},
                                       {positions, positions_offset},
                                       {known.n_buffer, known.n_offset},
                                       {known.m_buffer, known.m_offset}},
                                      dtype, n, m, index);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        search::Call call = search::read_call(dtype, n, m, index, options);
        search::Request &request = call.request;
        cl::Task task(device, cl::Waits{wait_count, wait, event, call.options.event, &signature});
        request.sorted = task.operand(sorted, sorted_offset, n, call.size, "sorted");
        request.values = task.operand(values, values_offset, m, call.size, "values");
        request.positions = task.operand(positions, positions_offset, m, call.index_size, "positions");
        search::require_apart(overlap(request.sorted, request.positions), "sorted");
        search::require_apart(overlap(request.values, request.positions), "values");
        const gp_search_options &given = call.options;
        request.n = take_counted(task, given, n, request.counted, {{request.positions, "positions"}});
        request.m = take_counted(task, {given.m_buffer, given.m_offset, "m"}, m, request.counted_m,
                                 {{request.positions, "positions"}});
        search::run(task, call);
        task.end();
    });
}
