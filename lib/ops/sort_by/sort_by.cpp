// gp_sort_by: arguments, and a merge sort. Host side of kernels/sort_by/.
// SPDX-License-Identifier: MIT
#include "ops/sort_by/sort_by.h"

#include "core/options.h"
#include "core/size.h"
#include "ops/shape.h"

#include <bit>

namespace gpcl::sort_by {
namespace {

// An odd number of elements a work-item keeps its accesses to local memory apart.
struct Shape {
    size_t group, items;
    size_t tile() const { return group * items; }
};

// Tiles of some 20 KiB: elements, and a number of two bytes for each. The last row is for whatever has
// small work-groups.
constexpr std::array<Row<Shape>, 6> kShapes = {{
    {{256, 24 << 10, 4}, {256, 13}},
    {{256, 24 << 10, 8}, {256, 9}},
    {{128, 24 << 10, 16}, {128, 9}},
    {{128, 24 << 10, 32}, {128, 5}},
    {{64, 24 << 10}, {64, 5}},
    {{}, {16, 5}},
}};

Shape shape(const cl::Context &context, size_t size) {
    Shape result = shape_for(kShapes, context, size);
    result.group = std::min(result.group, std::bit_floor(context.info().work_group_size));
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

Call read_call(gp_context *context, size_t size, size_t n, const char *type, const char *comes_before,
               const gp_sort_by_options *given) {
    Call call{cl::contexts().get(context, "context"), read_options(given, "options"), {}, 0};
    require_value_size(size, "element_size");
    require_pointer(type, "type");
    require_pointer(comes_before, "comes_before");
    require(!is_blank(type), GP_ERROR_OPTION, "type is blank; expected an OpenCL C type");
    require(!is_blank(comes_before), GP_ERROR_OPTION, "comes_before is blank; expected an OpenCL C expression");
    call.bytes = multiply(n, size, "n");
    require(!call.context->is_host(), GP_ERROR_UNSUPPORTED_DEVICE,
            "comes_before is OpenCL C, which \"host\" can't run; open an OpenCL device");
    call.request.n = n;
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
    const Shape how = shape(task.context(), r.size);
    const size_t tiles = ceil_div(r.n, how.tile());
    const std::string options =
        text("-DGP_BYTES=", r.size, " -DGP_WORD_BYTES=", r.word, " -DGP_GROUP=", how.group, " -DGP_ITEMS=", how.items);
    const auto range = cl::Range::groups(tiles, how.group);
    const auto blocks = task.program({"sort_by/blocks.cl", options, r.text});
    const auto passes = static_cast<size_t>(std::bit_width(tiles - 1));
    if (passes == 0) return task.launch(*blocks, "sort_by_blocks", range, uint64_t{r.n}, r.elements, r.elements);

    const auto merge = task.program({"sort_by/merge.cl", options, r.text});
    const cl::Operand copy = task.work_space(r.n, r.size);
    const cl::Operand splits = task.work_space(tiles, sizeof(uint64_t)),
                      unfit = task.work_space(passes, sizeof(uint32_t));
    const uint32_t zero = 0;
    task.fill(unfit.memory, unfit.offset * sizeof zero, passes * sizeof zero, &zero, sizeof zero);
    const cl::Operand *from = &r.elements, *to = passes % 2 != 0 ? &copy : &r.elements;
    task.launch(*blocks, "sort_by_blocks", range, uint64_t{r.n}, *from, *to);
    const size_t stride = std::max(how.group - 1, size_t{1});
    for (size_t pass = 0; pass < passes; ++pass) {
        from = to;
        to = from == &copy ? &r.elements : &copy;
        const uint64_t run = uint64_t{how.tile()} << pass;
        task.launch(*merge, "sort_by_splits", cl::Range::groups(ceil_div(tiles, stride), how.group), uint64_t{r.n}, run,
                    *from, splits, unfit + pass);
        task.launch(*merge, "sort_by_merge", range, uint64_t{r.n}, run, *from, *to, splits, unfit + pass);
    }
}

} // namespace gpcl::sort_by

using namespace gpcl;
using namespace gpcl::sort_by;

gp_status gp_sort_by(gp_context *context, size_t element_size, size_t n, void *elements, const char *type,
                     const char *comes_before, const gp_sort_by_options *options) {
    return guard("gp_sort_by", [&] {
        Call call = read_call(context, element_size, n, type, comes_before, options);
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
        Call call = read_call(context, element_size, n, type, comes_before, options);
        cl::Task task(call.context, cl::Waits{wait_count, wait, event, call.options.event});
        call.request.elements = task.operand(elements, offset, n, element_size, "elements");
        if (n > 0) gpcl::sort_by::run(task, call.request);
        task.end();
    });
}
