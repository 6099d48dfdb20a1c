// gpcl beside other libraries on the same OpenCL device, queue and buffers: CLBlast, Boost.Compute.
// usage: peers_opencl DEVICE [--quick]; compiled with HAVE_CLBLAST, HAVE_BOOST_COMPUTE for those
// that are there
// SPDX-License-Identifier: MIT
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "peers.h"

#include <gpcl/opencl.h>

#if HAVE_CLBLAST
#include <clblast_c.h>
#endif
#if HAVE_BOOST_COMPUTE
#define BOOST_COMPUTE_MAX_CL_VERSION 102
#include <boost/compute/algorithm/exclusive_scan.hpp>
#include <boost/compute/algorithm/reduce.hpp>
#include <boost/compute/algorithm/sort.hpp>
#include <boost/compute/buffer.hpp>
#include <boost/compute/command_queue.hpp>
#include <boost/compute/iterator/buffer_iterator.hpp>
#endif

namespace {

using namespace peers;

template <typename T> cl_mem memory(const Buffer<T> &buffer) {
    cl_mem result = nullptr;
    check(gp_opencl_mem(buffer, &result));
    return result;
}

#if HAVE_CLBLAST
void products(const Context &context, cl_command_queue queue, Table &table, size_t n, double limit) {
    const Buffer<float> a(context, random_reals<float>(n * n, 1)), b(context, random_reals<float>(n * n, 2));
    Buffer<float> ours(context, n * n), theirs(context, n * n);
    const Side clblast = {[&] {
                              const auto status = CLBlastSgemm(
                                  CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, n, n, n, 1, memory(a),
                                  0, n, memory(b), 0, n, 0, memory(theirs), 0, n, &queue, nullptr);
                              if (status == CLBlastSuccess) return;
                              std::fprintf(stderr, "CLBlast: status %d\n", static_cast<int>(status));
                              std::exit(1);
                          },
                          [&] { clFinish(queue); }};
    const auto times = alternately(matmul(context, n, a, b, ours), clblast);
    const auto side = static_cast<double>(n);
    table.row("matmul", "float32", size_text(n), times, "CLBlast", 2 * side * side * side, "Gop/s", limit,
              agree(ours.values(), theirs.values(), 4 * std::sqrt(side) * 0x1p-23));
}
#endif

#if HAVE_BOOST_COMPUTE
namespace bc = boost::compute;

template <typename T> bc::buffer_iterator<T> begin(const Buffer<T> &buffer) {
    return bc::make_buffer_iterator<T>(bc::buffer(memory(buffer)), 0);
}

void vectors(const Context &context, cl_command_queue opencl_queue, Table &table, size_t n, double copy) {
    bc::command_queue queue(opencl_queue);
    const auto finish = [&] { queue.finish(); };
    const auto count = static_cast<double>(n);
    const auto distance = static_cast<std::ptrdiff_t>(n);
    {
        const Buffer<int32_t> in(context, random_keys<int32_t>(n));
        Buffer<int32_t> ours(context, n), theirs(context, n);
        const auto times = alternately(
            exclusive_scan(context, n, in, ours),
            {[&] { bc::exclusive_scan(begin(in), begin(in) + distance, begin(theirs), 0, queue); }, finish});
        table.row("scan", "int32", size_text(n), times, "Boost.Compute", 8 * count, "GB/s", copy,
                  ours.values() == theirs.values());
    }
    const Buffer<uint32_t> in(context, random_keys<uint32_t>(n));
    Buffer<uint32_t> ours(context, n), theirs(context, n);
    auto times = alternately(
        reduce(context, n, in, ours),
        {[&] { bc::reduce(begin(in), begin(in) + distance, begin(theirs), bc::plus<uint32_t>(), queue); }, finish});
    table.row("reduce", "uint32", size_text(n), times, "Boost.Compute", 4 * count, "GB/s", copy,
              ours.values()[0] == theirs.values()[0]);
    times = alternately(
        sort(context, n, in, ours),
        {[&] { bc::sort(begin(theirs), begin(theirs) + distance, queue); }, finish, [&] { theirs.copy_from(in); }},
        true);
    table.row("sort", "uint32", size_text(n), times, "Boost.Compute", count, "Gkey/s", sort_limit(copy, 4, 0),
              ours.values() == theirs.values());
}
#endif

} // namespace

int main(int argc, char **argv) {
    const Settings settings(argc, argv);
    const Context context(settings.device);
    cl_command_queue queue = nullptr;
    check(gp_opencl_queue(context, &queue));
    gp_device_info info{};
    info.struct_size = sizeof info;
    check(gp_describe(context, &info));
    const bool gpu = info.kind == GP_DEVICE_GPU;
    Table table;
    std::vector<size_t> sides = {256, 512}, sizes = {1 << 16, 1 << 20};
    if (!settings.quick) {
        sides = gpu ? std::vector<size_t>{1000, 2048, 4033, 4096, 8192} : std::vector<size_t>{512, 1024, 2048};
        sizes = gpu ? std::vector<size_t>{1 << 20, 1 << 24, 1 << 28} : std::vector<size_t>{1 << 20, 1 << 24};
    }
#if HAVE_CLBLAST
    if (settings.wants("matmul"))
        for (const auto n : sides) products(context, queue, table, n, settings.fma32);
#endif
#if HAVE_BOOST_COMPUTE
    if (settings.only != "matmul")
        for (const auto n : sizes) vectors(context, queue, table, n, settings.copy);
#endif
    return table.status();
}
