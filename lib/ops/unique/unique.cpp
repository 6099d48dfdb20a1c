// gp_unique: checks, choice of algorithm.
// SPDX-License-Identifier: MIT
#include "ops/unique/unique.h"

#include "core/options.h"
#include "core/size.h"
#include "host/order.h"
#include "ops/place.h"
#include "ops/room.h"
#include "ops/sort/sort.h"

#include <limits>

namespace gpcl::unique {

std::span<const Algorithm> algorithms() {
    static const std::array list = {kLocalBins, kSortedRuns, kHost};
    return list;
}

namespace {

// What both forms of the call check and fill in alike.
struct Call {
    gp_unique_options options;
    Request request; // without its operands
    size_t size, index_size;
};

Call read(gp_dtype dtype, size_t n, gp_dtype index, const gp_unique_options *given) {
    Call call{read_options(given, "options"), {}, 0, 0};
    const gp_unique_options &options = call.options;
    require_choice(options.sorted, 1, "options->sorted");
    require_dtype(dtype, "dtype", kAllTypes);
    require_dtype(index, "index", kIndexTypes);
    call.size = gpcl::dtype(dtype).size;
    call.index_size = gpcl::dtype(index).size;
    multiply(n, call.size, "n elements");
    multiply(n, call.index_size, "n counts");
    require(index != GP_UINT32 || n <= std::numeric_limits<uint32_t>::max(), GP_ERROR_TOO_LARGE, "n is ", n,
            "; counts and positions of type uint32 reach 2^32 - 1");
    require(options.n_buffer != nullptr || options.n_offset == 0, GP_ERROR_OPTION, "options->n_offset is ",
            options.n_offset, "; expected 0 without n_buffer");
    call.request.sorted = options.sorted != 0;
    runs::Request &r = call.request.runs;
    r.key = dtype;
    r.n = n;
    r.capacity = options.capacity == 0 ? n : std::min(options.capacity, n);
    r.dtype = index;
    return call;
}

void run(cl::Task &task, Call &call) {
    runs::Request &r = call.request.runs;
    r.values = r.count;
    if (r.n == 0) r.keys = r.count;
    choose(algorithms(), call.options.algorithm, task.context(), call.request).run(task, call.request);
}

// The outputs of a call on host pointers; NULL where there are none.
struct Outputs {
    void *values, *firsts, *inverse, *counts;
};

bool is_held(const cl::Context &context, const Call &call, const Outputs &out) {
    Request request = call.request;
    runs::Request &r = request.runs;
    r.keys = r.values = r.bound = r.out_keys = r.results = r.firsts = r.count = request.inverse =
        cl::Operand::stand_in();
    r.has_keys = out.values != nullptr;
    r.has_results = out.counts != nullptr;
    r.has_firsts = out.firsts != nullptr;
    request.has_inverse = out.inverse != nullptr;
    const auto bytes = [&](const void *array, size_t count, size_t size) {
        return array != nullptr ? count * size : 0;
    };
    const Footprint arrays{r.n * call.size, bytes(out.values, r.capacity, call.size),
                           bytes(out.firsts, r.capacity, call.index_size), bytes(out.inverse, r.n, call.index_size),
                           bytes(out.counts, r.capacity, call.index_size)};
    return device_holds(context, arrays, [&](cl::Task &task) {
        choose(algorithms(), call.options.algorithm, context, request).run(task, request);
    });
}

// More than the device holds: it sorts, and the host finds the runs. Returns how many there are.
size_t run_larger(cl::Task &task, const Call &call, const void *in, const Outputs &out) {
    const runs::Request &r = call.request.runs;
    const bool sorts = !call.request.sorted;
    cl::Kept<std::byte> order(sorts ? r.n * call.index_size : 0);
    if (sorts) {
        sort::Request request = sort::whole_array(r.key, r.n);
        request.index = r.dtype;
        sort::run_external(task, nullptr, request, {const_cast<void *>(in), nullptr, order.data()});
    }
    size_t count = 0;
    host::with_bits(r.key, [&](auto bits) {
        using Bits = decltype(bits);
        const auto *const keys = static_cast<const Bits *>(in);
        const host::Order<Bits> ordered(r.key, false);
        const auto find = [&](auto index) {
            using Index = decltype(index);
            const auto *const places = reinterpret_cast<const Index *>(order.data());
            auto *const counts = static_cast<Index *>(out.counts);
            for (size_t i = 0, last = 0; i < r.n; ++i) {
                const size_t at = sorts ? places[i] : i;
                const bool is_new = i == 0 || ordered.rank(keys[at]) != ordered.rank(keys[last]);
                last = at;
                if (is_new) ++count;
                if (out.inverse != nullptr) static_cast<Index *>(out.inverse)[at] = static_cast<Index>(count - 1);
                if (count > r.capacity) continue;
                if (is_new && out.values != nullptr) static_cast<Bits *>(out.values)[count - 1] = keys[at];
                if (is_new && out.firsts != nullptr)
                    static_cast<Index *>(out.firsts)[count - 1] = static_cast<Index>(at);
                if (counts != nullptr) counts[count - 1] = static_cast<Index>(is_new ? 1 : counts[count - 1] + 1);
            }
        };
        r.dtype == GP_UINT32 ? find(uint32_t{}) : find(uint64_t{});
    });
    return count;
}

void add_defaults(Needed &needed, gp_dtype dtype) {
    const size_t size = gpcl::dtype(dtype).size;
    needed.for_each_size(size, 8, [&](size_t n) { // as those of sorts
        Request request = read(dtype, n, GP_UINT64, nullptr).request;
        runs::Request &r = request.runs;
        r.has_keys = r.has_results = true;
        r.keys = r.values = r.bound = r.out_keys = r.results = r.firsts = r.count = cl::Operand::stand_in();
        needed.add(algorithms(), request, n * size, [=](gp_context *context) {
            uint64_t value[1], counts[1], count = 0;
            gp_unique_options options = GP_UNIQUE_OPTIONS_INIT;
            options.capacity = 1;
            return gp_unique(context, dtype, n, zeros(n, size).data(), value, GP_UINT64, nullptr, nullptr, counts,
                             &count, &options);
        });
        if (n >= size_t{1} << 31) return; // so many are sorted only where the host knows how many
        r.has_bound = true;
        needed.add(algorithms(), request);
    });
}

gp_status smallest_calls(gp_context *context, gp_dtype dtype) {
    const uint64_t in[1] = {}; // holds one element of any type
    uint64_t value[1], counts[1], count = 0;
    return gp_unique(context, dtype, 1, in, value, GP_UINT64, nullptr, nullptr, counts, &count, nullptr);
}

} // namespace

const Operation kOperation = {
    GP_UNIQUE,      "unique", kAllTypes, infos<algorithms>, parameters<algorithms>, add_defaults,
    smallest_calls, kKinds,   prove,     list<algorithms>};

} // namespace gpcl::unique

using namespace gpcl;

gp_status gp_unique(gp_context *context, gp_dtype dtype, size_t n, const void *in, void *values, gp_dtype index,
                    void *firsts, void *inverse, void *counts, uint64_t *count, const gp_unique_options *options) {
    return guard("gp_unique", [&] {
        const auto device =
            placed(context, unique::kOperation, unique::kind_of(cl::known_options(options).sorted != 0), dtype,
                   {real(n),
                    {array_of(in, dtype, n)},
                    {array_of(values, dtype, n), array_of(firsts, index, n), array_of(inverse, index, n),
                     array_of(counts, index, n)}},
                   options);
        unique::Call call = unique::read(dtype, n, index, options);
        runs::Request &r = call.request.runs;
        require(call.options.n_buffer == nullptr, GP_ERROR_OPTION,
                "options->n_buffer is set; gp_unique takes host pointers, expected NULL");
        require_array(in, n, call.size, "in");
        require_aligned(values, call.size, "values");
        require_aligned(firsts, call.index_size, "firsts");
        require_aligned(inverse, call.index_size, "inverse");
        require_aligned(counts, call.index_size, "counts");
        require_pointer(count, "count");
        require_aligned(count, sizeof *count, "count");
        const auto of = [&](const void *pointer, size_t bytes) { return extent(pointer, pointer ? bytes : 0); };
        runs::require_apart({{of(in, n * call.size), "in", false},
                             {of(values, r.capacity * call.size), "values", true},
                             {of(firsts, r.capacity * call.index_size), "firsts", true},
                             {of(inverse, n * call.index_size), "inverse", true},
                             {of(counts, r.capacity * call.index_size), "counts", true},
                             {of(count, sizeof *count), "count", true}});
        cl::Task task(device, call.options.event);
        const unique::Outputs out{values, firsts, inverse, counts};
        if (n > 0 && !unique::is_held(*device, call, out)) {
            const size_t distinct = unique::run_larger(task, call, in, out);
            task.end();
            *count = distinct;
            return;
        }
        uint64_t distinct = 0;
        runs::Outputs outputs(task, r);
        if (n > 0) r.keys = task.input(in, n * call.size);
        r.count = outputs.add_count(&distinct);
        r.bound = r.count;
        r.has_keys = values != nullptr;
        r.has_results = counts != nullptr;
        r.has_firsts = firsts != nullptr;
        r.out_keys = outputs.add({values, call.size}, r.count);
        r.results = outputs.add({counts, call.index_size}, r.count);
        r.firsts = outputs.add({firsts, call.index_size}, r.count);
        call.request.has_inverse = inverse != nullptr && n > 0;
        if (call.request.has_inverse) call.request.inverse = task.output(inverse, n * call.index_size);
        unique::run(task, call);
        outputs.fetch();
        task.end();
        *count = distinct;
    });
}

gp_status gp_enqueue_unique(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *in, size_t in_offset,
                            gp_buffer *values, size_t values_offset, gp_dtype index, gp_buffer *firsts,
                            size_t firsts_offset, gp_buffer *inverse, size_t inverse_offset, gp_buffer *counts,
                            size_t counts_offset, gp_buffer *count, size_t count_offset,
                            const gp_unique_options *options, size_t wait_count, gp_event *const *wait,
                            gp_event **event) {
    return guard("gp_enqueue_unique", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto known = cl::known_options(options);
        const cl::Signature signature(*device, "gp_enqueue_unique", options,
                                      {{in, in_offset},
                                       {values, values_offset},
                                       {firsts, firsts_offset},
                                       {inverse, inverse_offset},
                                       {counts, counts_offset},
                                       {count, count_offset},
                                       {known.n_buffer, known.n_offset}},
                                      dtype, n, index);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        unique::Call call = unique::read(dtype, n, index, options);
        unique::Request &request = call.request;
        runs::Request &r = request.runs;
        cl::Task task(device, cl::Waits{wait_count, wait, event, call.options.event, &signature});
        r.count = task.operand(count, count_offset, 1, sizeof(uint64_t), "count");
        r.keys = task.operand(in, in_offset, n, call.size, "in");
        const auto add = [&](bool &has, gp_buffer *buffer, size_t offset, size_t elements, size_t size,
                             const char *argument) {
            has = buffer != nullptr;
            return has ? task.operand(buffer, offset, elements, size, argument) : r.count;
        };
        r.out_keys = add(r.has_keys, values, values_offset, r.capacity, call.size, "values");
        r.firsts = add(r.has_firsts, firsts, firsts_offset, r.capacity, call.index_size, "firsts");
        request.inverse = add(request.has_inverse, inverse, inverse_offset, n, call.index_size, "inverse");
        r.results = add(r.has_results, counts, counts_offset, r.capacity, call.index_size, "counts");
        r.bound =
            add(r.has_bound, call.options.n_buffer, call.options.n_offset, 1, sizeof(uint64_t), "options->n_buffer");
        const auto of = [](bool has, const cl::Operand &operand) { return has ? operand.extent : Extent{}; };
        runs::require_apart({{r.keys.extent, "in", false},
                             {of(r.has_bound, r.bound), "options->n_buffer", false},
                             {of(r.has_keys, r.out_keys), "values", true},
                             {of(r.has_firsts, r.firsts), "firsts", true},
                             {of(request.has_inverse, request.inverse), "inverse", true},
                             {of(r.has_results, r.results), "counts", true},
                             {r.count.extent, "count", true}});
        unique::run(task, call);
        task.end();
    });
}
