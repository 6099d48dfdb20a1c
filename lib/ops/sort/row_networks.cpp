// Sorting networks in registers, a work-item a row, for short rows on GPUs. Host side of
// kernels/sort/row_networks.cl.
// SPDX-License-Identifier: MIT
#include "ops/sort/bins.h"

#include <bit>

namespace gpcl::sort {
namespace {

constexpr size_t kLeastWidth = 8;

// By ptxas for sm_90, 64 keys without values take no spills, 128 keys spill 504
// bytes, pairs of 16 take 188 registers and pairs of 32 spill.
const Parameter kMost = {
    GP_SORT,
    "row-networks",
    "most",
    "keys of a row, each of which takes a register; for more, another algorithm pays",
    {8, 16, 32, 64, 128},
    [](const cl::Context &, gp_dtype type) { return dtype(type).size == 8 ? size_t{32} : size_t{64}; }};
constexpr std::array kParameters = {&kMost};

struct Shape {
    size_t group, width;
};

// Keys, and their places where the order of equal ones counts.
size_t local_bytes(const Request &r, const Shape &shape) {
    const size_t places = is_stable(r) ? shape.width * sizeof(uint16_t) : 0;
    return shape.group * ((shape.width + 1) * dtype(r.dtype).size + places);
}

// Work-groups share no more than local memory, so they may be as small as a device wants them.
Shape shape(const cl::Context &context, const Request &r) {
    constexpr size_t kLeastGroup = 16;
    const size_t width = std::max(std::bit_ceil(r.n), kLeastWidth), wanted = width <= 32 ? 128 : 64;
    Shape result{std::max(std::min(wanted, std::bit_floor(context.info().work_group_size)), kLeastGroup), width};
    while (result.group > kLeastGroup && !has_room(context, result.group, local_bytes(r, result))) result.group /= 2;
    return result;
}

// Keys with their places take two registers each, and values on their way as many more.
Refusal refuses(const cl::Context &context, const Request &r) {
    const size_t size = dtype(r.dtype).size, tuned_most = tuned(context, r.dtype, kMost);
    if (is_stable(r) && size > 4) return "with places it sorts keys of up to 4 bytes";
    // Compilers for CPUs take minutes for large networks, which run there by name only.
    const size_t registers = context.is_cpu() ? 16 : r.value_size != 0 ? 16 : is_stable(r) ? 64 : 128;
    const size_t most = std::min(tuned_most, registers);
    if (r.n > most) return {"it sorts rows of up to ", most, " of these keys, and n is ", r.n};
    const Shape needed = shape(context, r);
    return refuses_shape(context, needed.group, local_bytes(r, needed));
}

void run(cl::Task &task, const Request &r) {
    const auto [group, width] = shape(task.context(), r);
    const auto program =
        task.program({"sort/row_networks.cl", text(key_options_alone(r), " -DGP_GROUP=", group, " -DGP_WIDTH=", width,
                                                   " -DGP_STABLE=", is_stable(r) ? 1 : 0, word_options(r))});
    const uint64_t inverse = ceil_div(uint64_t{1} << 32, uint64_t{r.n});
    launch_in_place(task, *program, "sort_row_networks", cl::Range::groups(ceil_div(r.batch, group), group), r,
                    uint64_t{r.batch}, uint64_t{r.stride}, static_cast<uint32_t>(inverse));
}

} // namespace

const Algorithm kRowNetworks = {{"row-networks", "a work-item sorts a short row by a network in its registers",
                                 "Batcher, \"Sorting Networks and their Applications\", 1968", false, Suits::kByName},
                                refuses,
                                run,
                                nullptr,
                                kParameters};

} // namespace gpcl::sort
