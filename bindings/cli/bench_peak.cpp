// The device's own peaks, which gpcl bench sets its rates against: how fast it copies, how fast it
// multiplies and adds.
// SPDX-License-Identifier: MIT
#include "bench.h"

#include <algorithm>
#include <thread>

namespace command {

namespace {

// The shortest of the runs in 0.05 s, five at least, in seconds; after one to warm up.
template <typename F> double shortest(F &&run) {
    run();
    double best = 1e30;
    const Stopwatch all;
    for (int i = 0; i < 5 || all.milliseconds() < 50; ++i) {
        const Stopwatch watch;
        run();
        best = std::min(best, watch.milliseconds() * 1e-3);
    }
    return best;
}

// ---- On OpenCL devices --------------------------------------------------------------------------

constexpr char kCopy[] = "kernel void peak(global const T *in, global T *out) {\n"
                         "    out[get_global_id(0)] = in[get_global_id(0)];\n"
                         "}\n";

// Eight independent chains, so that none waits for its own last result.
constexpr char kFma[] = "#ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#endif\n"
                        "#pragma OPENCL FP_CONTRACT ON\n"
                        "kernel void peak(global T *out, S b, S c, int steps) {\n"
                        "    T a0 = (T)(S)get_global_id(0), a1 = a0 + (T)(S)1, a2 = a1 + a1, a3 = a2 + a1;\n"
                        "    T a4 = a3 + a1, a5 = a4 + a1, a6 = a5 + a1, a7 = a6 + a1, x = (T)b, y = (T)c;\n"
                        "    for (int i = 0; i < steps; ++i) {\n"
                        "        a0 = a0 * x + y; a1 = a1 * x + y; a2 = a2 * x + y; a3 = a3 * x + y;\n"
                        "        a4 = a4 * x + y; a5 = a5 * x + y; a6 = a6 * x + y; a7 = a7 * x + y;\n"
                        "    }\n"
                        "    out[get_global_id(0)] = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7;\n"
                        "}\n";

class OwnKernel {
  public:
    OwnKernel(gp_context *context, const char *source, const std::string &options) {
        check(gp_kernel_build(context, source, options.c_str(), "peak", &kernel_));
    }
    OwnKernel(const OwnKernel &) = delete;
    OwnKernel &operator=(const OwnKernel &) = delete;
    ~OwnKernel() { gp_kernel_free(kernel_); }
    void launch(size_t items, size_t group, const std::vector<gp_argument> &arguments) const {
        check(gp_enqueue_kernel(kernel_, 1, &items, &group, arguments.size(), arguments.data(), 0, nullptr, nullptr));
    }

  private:
    gp_kernel *kernel_ = nullptr;
};

size_t group_of(const gp_device_info &info) { return info.work_group_size >= 256 ? 256 : 1; }

// The best of two widths and of OpenCL's own copy, each way a number of times to outweigh the
// launch.
double opencl_copy(gp_context *context, const gp_device_info &info) {
    const size_t most = size_t{1} << (info.kind == GP_DEVICE_GPU ? 30 : 27);
    const auto allowed = std::min(info.allocation_bytes, info.global_bytes / 8);
    const auto bytes = std::min(most, static_cast<size_t>(allowed)) / 65536 * 65536;
    const Buffer in(context, bytes), out(context, bytes);
    check(gp_buffer_fill(in, 0, bytes, "gpcl", 4));
    constexpr int kTimes = 4;
    auto best = shortest([&] {
        for (int i = 0; i < kTimes; ++i) check(gp_enqueue_copy(in, 0, out, 0, bytes, 0, nullptr, nullptr));
        check(gp_finish(context));
    });
    for (const size_t width : {4u, 16u}) {
        const OwnKernel kernel(context, kCopy, "-DT=float" + std::to_string(width));
        best = std::min(
            best, shortest([&] {
                for (int i = 0; i < kTimes; ++i)
                    kernel.launch(bytes / width / sizeof(float), group_of(info), {{in, nullptr, 0}, {out, nullptr, 0}});
                check(gp_finish(context));
            }));
    }
    return 2e-9 * kTimes * static_cast<double>(bytes) / best;
}

template <typename T> double opencl_fma(gp_context *context, const gp_device_info &info, const std::string &type) {
    const size_t items = size_t{info.compute_units} * (info.kind == GP_DEVICE_GPU ? 2048 : 256);
    const int steps = info.kind == GP_DEVICE_GPU ? 4096 : 512;
    const T b = static_cast<T>(0.75), c = static_cast<T>(1.5);
    double best = 0;
    for (const size_t width : {1u, 4u, 8u, 16u}) {
        const Buffer out(context, items * width * sizeof(T));
        const auto vector = type + (width > 1 ? std::to_string(width) : "");
        const OwnKernel kernel(context, kFma, "-DS=" + type + " -DT=" + vector);
        for (const size_t group : {group_of(info), size_t{1}}) {
            if (group == 1 && info.kind == GP_DEVICE_GPU) break; // no GPU is at its best there
            const auto seconds = shortest([&] {
                kernel.launch(items, group,
                              {{out, nullptr, 0},
                               {nullptr, &b, sizeof b},
                               {nullptr, &c, sizeof c},
                               {nullptr, &steps, sizeof steps}});
                check(gp_finish(context));
            });
            best = std::max(best, 16e-9 * static_cast<double>(items * width) * steps / seconds);
        }
    }
    return best;
}

// ---- On "host" ----------------------------------------------------------------------------------

template <typename F> void on_all_threads(F &&run) {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) threads.emplace_back(run, i);
    for (auto &thread : threads) thread.join();
}

double host_copy() {
    const size_t share = size_t{64} << 20, count = std::max(1u, std::thread::hardware_concurrency());
    std::vector<char> in(share * count, 1), out(share * count, 2);
    const auto seconds = shortest([&] {
        on_all_threads([&](unsigned i) { std::memcpy(out.data() + i * share, in.data() + i * share, share); });
    });
    return 2e-9 * static_cast<double>(share * count) / seconds;
}

// Twelve chains of 64 bytes, which the compiler splits where the processor's vectors are shorter.
#define GPCL_FMA_LOOP(name, attributes)                                                                                \
    template <typename T> attributes void name(T *out, T b, T c, int steps) {                                          \
        typedef T Vector __attribute__((vector_size(64)));                                                             \
        Vector a[12], x = b - (Vector){}, y = c - (Vector){};                                                          \
        for (int i = 0; i < 12; ++i) a[i] = x + static_cast<T>(i);                                                     \
        for (int step = 0; step < steps; ++step)                                                                       \
            _Pragma("GCC unroll 12") for (int i = 0; i < 12; ++i) a[i] = a[i] * x + y;                                 \
        for (int i = 1; i < 12; ++i) a[0] += a[i];                                                                     \
        std::memcpy(out, &a[0], 64);                                                                                   \
    }
GPCL_FMA_LOOP(fma_loop, )
#if defined(__x86_64__)
GPCL_FMA_LOOP(fma_loop_avx2, __attribute__((target("avx2,fma"))))
#if defined(__clang__)
GPCL_FMA_LOOP(fma_loop_avx512, __attribute__((target("avx512f,avx512dq,fma"))))
#else
GPCL_FMA_LOOP(fma_loop_avx512, __attribute__((target("avx512f,avx512dq,fma,prefer-vector-width=512"))))
#endif
#endif

template <typename T> double host_fma() {
    auto loop = fma_loop<T>;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) loop = fma_loop_avx2<T>;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) loop = fma_loop_avx512<T>;
#endif
    constexpr int kSteps = 1000000;
    constexpr size_t kLanes = 64 / sizeof(T);
    const size_t count = std::max(1u, std::thread::hardware_concurrency());
    std::vector<T> out(count * kLanes);
    const auto seconds = shortest([&] {
        on_all_threads(
            [&](unsigned i) { loop(out.data() + i * kLanes, static_cast<T>(0.75), static_cast<T>(1.5), kSteps); });
    });
    return 2e-9 * static_cast<double>(count) * kSteps * 12 * static_cast<double>(kLanes) / seconds;
}

} // namespace

double measure_peak(gp_context *context, const gp_device_info &info, Limit limit, gp_dtype dtype) {
    const bool host = info.kind == GP_DEVICE_HOST;
    if (limit == Limit::copy) return host ? host_copy() : opencl_copy(context, info);
    switch (dtype) { // float16 is computed in float32
    case GP_FLOAT64: return host ? host_fma<double>() : opencl_fma<double>(context, info, "double");
    case GP_INT32: return host ? host_fma<int32_t>() : opencl_fma<int32_t>(context, info, "int");
    default: return host ? host_fma<float>() : opencl_fma<float>(context, info, "float");
    }
}

} // namespace command
