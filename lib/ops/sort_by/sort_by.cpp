// gp_sort_by: arguments, and a merge sort. Host side of kernels/sort_by/.
// SPDX-License-Identifier: MIT
#include "ops/sort_by/sort_by.h"

#include "core/options.h"
#include "core/size.h"
#include "ops/place.h"
#include "ops/shape.h"

#include <bit>

namespace gpcl::sort_by {
namespace {

struct Shape {
    // Work-items of a work-group, and elements of each, that sort blocks, and that merge; an odd
    // number keeps accesses to local memory apart.
    size_t block_group, block_items, group, items;
    size_t block() const { return block_group * block_items; }
    size_t tile() const { return group * items; }
};

// A tile divides a block. The last row is for whatever has small work-groups.
constexpr std::array<Row<Shape>, 7> kShapes = {{
    {{512, 40 << 10, 4, 1 << 21}, {512, 17, 256, 17}},
    {{512, 48 << 10, 4}, {512, 21, 256, 21}},
    {{256, 24 << 10, 8}, {256, 11, 256, 11}},
    {{128, 24 << 10, 16}, {128, 9, 128, 9}},
    {{128, 24 << 10, 32}, {128, 5, 128, 5}},
    {{64, 24 << 10}, {64, 5, 64, 5}},
    {{}, {16, 5, 16, 5}},
}};
constexpr size_t kOwn = 4;   // tiles for each compute unit up to which each work-group finds its part by itself
constexpr size_t kLanes = 8; // most work-items that look for a tile's part, where they are a kernel of their own

// For what one block holds.
constexpr std::array<Shape, 3> kSmall = {{{256, 5, 256, 5}, {512, 5, 256, 5}, {512, 9, 256, 9}}};

Shape shape(const cl::Context &context, size_t size, size_t n) {
    Shape result = shape_for(kShapes, context, size, n);
    // Where one block holds all, it has no more elements for a work-item than it takes.
    for (const Shape &one : kSmall) {
        if (n <= one.block() && one.block() < result.block() && one.block_group <= result.block_group) {
            result = one;
            break;
        }
    }
    const size_t most = std::bit_floor(context.info().work_group_size);
    if (most < result.block_group) result.block_group = result.group = std::min(result.group, most);
    return result;
}

bool is_blank(const char *text) {
    return std::string_view(text).find_first_not_of(" \t\r\n") == std::string_view::npos;
}

struct Call {
    std::shared_ptr<cl::Context> context;
    gp_sort_by_options options;
    Request request; // without its elements
    size_t bytes;
};

Call read_call(std::shared_ptr<cl::Context> context, size_t size, size_t n, const char *type, const char *comes_before,
               const gp_sort_by_options *given) {
    Call call{std::move(context), read_options(given, "options"), {}, 0};
    require_value_size(size, "element_size");
    require_pointer(type, "type");
    require_pointer(comes_before, "comes_before");
    require(!is_blank(type), GP_ERROR_OPTION, "type is blank; expected an OpenCL C type");
    require(!is_blank(comes_before), GP_ERROR_OPTION, "comes_before is blank; expected an OpenCL C expression");
    call.bytes = multiply(n, size, "n");
    require(!call.context->is_host(), GP_ERROR_UNSUPPORTED_DEVICE,
            "comes_before is OpenCL C, which \"host\" can't run; open an OpenCL device");
    call.request.n = n;
    call.request.counted = read_counted(call.options, true);
    call.request.size = size;
    call.request.word = std::min(alignment_of(size), size_t{8});
    call.request.text = order_text(type, comes_before, call.options.helpers != nullptr ? call.options.helpers : "");
    return call;
}

} // namespace

std::string order_text(const char *type, const char *comes_before, const char *helpers) {
    return text(helpers, "\ntypedef ", type,
                "\nGpElement;\ntypedef char gp_element_size_is_not_that_of_type[sizeof(GpElement) == GP_BYTES ? 1 : "
                "-1];\nbool gp_comes_before(GpElement a, GpElement b) { return (\n",
                comes_before, "\n); }\n");
}

void run(cl::Task &task, const Request &r) {
    const Shape how = shape(task.context(), r.size, r.n);
    const auto options = [&](size_t group, size_t items) {
        return text("-DGP_BYTES=", r.size, " -DGP_WORD_BYTES=", r.word, " -DGP_GROUP=", group, " -DGP_ITEMS=", items,
                    r.counted.option());
    };
    const size_t blocks = ceil_div(r.n, how.block()), tiles = ceil_div(r.n, how.tile());
    const auto block_range = cl::Range::groups(blocks, how.block_group), range = cl::Range::groups(tiles, how.group);
    const auto sort = task.program({"sort_by/blocks.cl", options(how.block_group, how.block_items), r.text});
    const auto passes = static_cast<size_t>(std::bit_width(blocks - 1));
    if (passes == 0) {
        return task.launch(*sort, "sort_by_blocks", block_range, uint64_t{r.n}, r.elements, r.elements, uint32_t{0},
                           r.elements, r.counted.argument());
    }

    const size_t units = task.context().info().compute_units;
    const bool search = tiles > units * kOwn || how.group < 2;
    // Small elements go through registers.
    const auto merge = task.program(
        {"sort_by/merge.cl",
         text(options(how.group, how.items), " -DGP_OWN=", search ? 0 : 1, " -DGP_KEEP=", r.size <= 8 ? 1 : 0),
         r.text});
    const size_t lanes = path_lanes(task.context(), kLanes, tiles, how.group);
    const cl::Operand copy = task.work_space(r.n, r.size);
    const cl::Operand flags = task.work_space(passes + 1, sizeof(uint32_t));
    const cl::Operand splits = search ? task.work_space(tiles, sizeof(uint64_t)) : copy;
    const cl::Operand *from = &r.elements, *to = passes % 2 != 0 ? &copy : &r.elements;
    task.launch(*sort, "sort_by_blocks", block_range, uint64_t{r.n}, *from, *to, static_cast<uint32_t>(passes + 1),
                flags, r.counted.argument());
    for (size_t pass = 0; pass < passes; ++pass) {
        from = to;
        to = from == &copy ? &r.elements : &copy;
        const uint64_t run = uint64_t{how.block()} << pass;
        if (search) {
            task.launch(*merge, "sort_by_splits", cl::Range::groups(ceil_div(tiles * lanes, how.group), how.group),
                        uint64_t{r.n}, run, static_cast<uint32_t>(lanes), *from, splits, flags + pass,
                        r.counted.argument());
        }
        task.launch(*merge, "sort_by_merge", range, uint64_t{r.n}, run, *from, *to, splits, flags + pass,
                    r.counted.argument());
    }
    task.launch(*merge, "sort_by_restore", cl::Range::groups(std::min(tiles, units), how.group), uint64_t{r.n}, copy,
                r.elements, flags + passes, r.counted.argument());
}

const place::Kind kKind = {"sort-by", "elements", nullptr};

} // namespace gpcl::sort_by

using namespace gpcl;
using namespace gpcl::sort_by;

gp_status gp_sort_by(gp_context *context, size_t element_size, size_t n, void *elements, const char *type,
                     const char *comes_before, const gp_sort_by_options *options) {
    return guard("gp_sort_by", [&] {
        Call call =
            read_call(placed_on_device(context, gpcl::sort_by::kKind, n), element_size, n, type, comes_before, options);
        require_uncounted(call.request.counted);
        if (n > 0) require_pointer(elements, "elements");
        cl::Task task(call.context, call.options.event);
        Request &r = call.request;
        if (n > 0 && call.context->shares_memory())
            r.word = std::min(r.word, alignment_of(reinterpret_cast<uintptr_t>(elements)));
        r.elements = task.in_out(elements, call.bytes);
        if (n > 0) gpcl::sort_by::run(task, r);
        task.end();
    });
}

gp_status gp_enqueue_sort_by(gp_context *context, size_t element_size, size_t n, gp_buffer *elements, size_t offset,
                             const char *type, const char *comes_before, const gp_sort_by_options *options,
                             size_t wait_count, gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_sort_by", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto given = cl::known_options(options);
        cl::Signature signature(*device, "gp_enqueue_sort_by", options,
                                {{elements, offset}, {given.n_buffer, given.n_offset}}, element_size, n);
        signature.text(type);
        signature.text(comes_before);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        Call call = read_call(device, element_size, n, type, comes_before, options);
        cl::Task task(call.context, cl::Waits{wait_count, wait, event, call.options.event, &signature});
        call.request.elements = task.operand(elements, offset, n, element_size, "elements");
        take_counted(task, call.options, n, call.request.counted, {{call.request.elements, "elements"}});
        if (n > 0) gpcl::sort_by::run(task, call.request);
        task.end();
    });
}
