// Lists the programs that calls build on devices that are only described: no OpenCL is needed.
//
// programs DEVICE FOLDER: of every algorithm, type and division of work that plans reach there; a
// line each: the kernel file, the options, how many work-groups a compute unit shall hold, and a
// file below FOLDER with the text that goes before it, or "-". DEVICE is one of those below.
// programs DEVICE FOLDER --sources: writes their sources to FOLDER instead, as files N.cl whose
// first line is a comment with the options; of each kernel file so many that every option that any
// of its programs has is in one. programs --check KERNELS: every file in the folder KERNELS that
// has a kernel is in some plan on some device, and what gp_warmup builds is all that calls with
// default options need, whatever their size, and whatever values parameters have.
// SPDX-License-Identifier: MIT
#include "cl/source.h"
#include "core/dtype.h"
#include "ops/arg_reduce/arg_reduce.h"
#include "ops/difference/difference.h"
#include "ops/gather/gather.h"
#include "ops/histogram/histogram.h"
#include "ops/histogram_weighted/histogram_weighted.h"
#include "ops/is_sorted/is_sorted.h"
#include "ops/matmul/matmul.h"
#include "ops/merge/merge.h"
#include "ops/merge_runs/merge_runs.h"
#include "ops/paths/paths.h"
#include "ops/recurrence/recurrence.h"
#include "ops/reduce/reduce.h"
#include "ops/repeat/repeat.h"
#include "ops/runs/runs.h"
#include "ops/scan/scan.h"
#include "ops/scan_by_key/scan_by_key.h"
#include "ops/search/search.h"
#include "ops/select/select.h"
#include "ops/sort/sort.h"
#include "ops/sort_by/sort_by.h"
#include "ops/top_k/top_k.h"
#include "ops/transform/transform.h"
#include "ops/transpose/transpose.h"
#include "ops/unique/unique.h"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <regex>
#include <sstream>

using namespace gpcl;

namespace {

struct Described {
    const char *name;
    cl_uint nvidia_capability;
    gp_device_kind kind;
    uint32_t units, vector_float;
    uint64_t local_bytes;
    size_t work_group_size;
};

constexpr Described kDevices[] = {
    {"sm_70", 7, GP_DEVICE_GPU, 80, 1, 48 << 10, 1024},  {"sm_80", 8, GP_DEVICE_GPU, 108, 1, 48 << 10, 1024},
    {"sm_90", 9, GP_DEVICE_GPU, 132, 1, 48 << 10, 1024}, {"sm_120", 12, GP_DEVICE_GPU, 170, 1, 48 << 10, 1024},
    {"gpu", 0, GP_DEVICE_GPU, 64, 4, 64 << 10, 256},     {"gpu-64", 0, GP_DEVICE_GPU, 8, 4, 32 << 10, 64},
    {"cpu", 0, GP_DEVICE_CPU, 16, 16, 512 << 10, 4096},  {"cpu-1", 0, GP_DEVICE_CPU, 2, 4, 32 << 10, 1},
};

cl::Device device_of(const Described &described) {
    static char nobody;
    cl::Device device;
    device.id = reinterpret_cast<cl_device_id>(&nobody); // never asked
    cl::DeviceFacts facts;
    facts.nvidia_major = described.nvidia_capability;
    facts.local_bytes = described.local_bytes;
    device.features = cl::features_of(facts, "");
    device.image_limits = {16384, 16384};
    gp_device_info &info = device.info;
    std::strncpy(info.name, described.name, sizeof info.name - 1);
    info.kind = described.kind;
    info.compute_units = described.units;
    info.vector_float = described.vector_float;
    info.global_bytes = uint64_t{64} << 30;
    info.allocation_bytes = uint64_t{32} << 30;
    info.local_bytes = described.local_bytes;
    info.cache_bytes = 32 << 20;
    info.work_group_size = described.work_group_size;
    info.has_float64 = info.has_float16 = info.has_images = 1;
    info.has_unified_memory = described.kind == GP_DEVICE_CPU ? 1 : 0;
    return device;
}

const cl::Operand kArray = cl::Operand::stand_in();

// Plans a request by every algorithm that takes it.
class Lister {
  public:
    explicit Lister(const cl::Context &context) : context_(context) {}

    // The same again with n in a buffer.
    template <class Request> void add(std::span<const Algorithm<Request>> algorithms, const Request &request) {
        add_plans(algorithms, request);
        for (const Request &counted : counted_forms(request)) add_plans(algorithms, counted);
    }

    template <class Request> void add_plans(std::span<const Algorithm<Request>> algorithms, const Request &request) {
        for (const auto &one : algorithms) {
            if (refusal_of(one, context_, request)) continue;
            const cl::Plan made = plan(context_, one, request);
            programs.insert(made.programs.begin(), made.programs.end());
        }
    }

    // Plans what calls do beside an algorithm.
    template <class Step> void add_step(const Step &step) {
        cl::Plan made;
        cl::Task task(context_, made);
        step(task);
        programs.insert(made.programs.begin(), made.programs.end());
    }

    // Every operation, with the options on which programs depend.
    void add_all() {
        for (const size_t n : {size_t{33}, size_t{5000}, size_t{1} << 20, size_t{1} << 23, (size_t{1} << 25) + 3}) {
            add_scans(n);
            add_reductions(n);
            add_arg_reductions(n);
            add_top_ks(n);
            if (n <= 5000) add_paths(n);
            add_movements(n);
            add_searches(n);
            add_sorts(n);
            add_merges(n);
            add_merges_of_runs(n);
            add_selections(n);
            add_runs(n);
            add_unique(n);
            add_scans_by_key(n);
            add_repeats(n);
            add_sorts_by(n);
            add_transforms(n);
            add_differences(n);
            add_histograms(n);
            add_weighted_histograms(n);
            add_recurrences(n);
        }
        add_scans((size_t{1} << 32) + 5); // which some count in 64 bits
        for (const size_t n : {1, 2, 60, 250, 500, 1000, 1024, 4096}) add_products(n);
    }

    std::set<cl::ProgramKey> programs;

  private:
    static std::vector<Combine> operators() {
        std::vector<Combine> all;
        for (const gp_operator op : {GP_ADD, GP_MULTIPLY, GP_MINIMUM, GP_MAXIMUM}) {
            all.emplace_back();
            all.back().op = op;
        }
        all.push_back({GP_ADD, "a + b", "0", ""});
        return all;
    }
    // The types of sums, and those of elements.
    template <class F> static void for_each_sum(F &&f) {
        for (const gp_dtype type : {GP_INT32, GP_UINT32, GP_INT64, GP_UINT64, GP_FLOAT32, GP_FLOAT64}) f(type, type);
        f(GP_INT32, GP_INT8);
        f(GP_FLOAT32, GP_FLOAT16);
    }

    void add_scans(size_t n) {
        for_each_sum([&](gp_dtype dtype, gp_dtype from) {
            for (const Combine &combine : operators()) {
                if (combine.op != GP_ADD && n > 33) continue; // an operator is a macro, whatever n
                scan::Request r;
                r.dtype = dtype;
                r.from = from;
                r.n = n;
                r.combine = combine;
                r.in = r.out = r.heads = kArray;
                r.rows_in = r.rows_out = read_rows(n, 1, 0, 0, "in");
                add(scan::algorithms(), r);
                r.segmented = true;
                add(scan::algorithms(), r);
                r.rows_in = r.rows_out = {n, 4, 1, 4};
                add(scan::algorithms(), r);
                r.segmented = false;
                add(scan::algorithms(), r);
                r.has_initial = r.has_final = true;
                r.initial = r.last = kArray;
                add(scan::algorithms(), r);
                r.segmented = true;
                add(scan::algorithms(), r);
                r.rows_in = r.rows_out = read_rows(n, 1, 0, 0, "in");
                add(scan::algorithms(), r);
                r.segmented = false;
                add(scan::algorithms(), r);
                add_step([&](cl::Task &task) { scan::pass_carries(task, r); });
                r.counted = {true, kArray};
                add_step([&](cl::Task &task) { scan::pass_carries(task, r); });
            }
        });
    }

    void add_reductions(size_t n) {
        for_each_sum([&](gp_dtype dtype, gp_dtype from) {
            for (const Combine &combine : operators()) {
                if (combine.op != GP_ADD && n > 33) continue;
                reduce::Request r;
                r.dtype = dtype;
                r.from = from;
                r.n = n;
                r.combine = combine;
                r.in = r.out = kArray;
                r.rows = read_rows(n, 1, 0, 0, "in");
                add(reduce::algorithms(), r);
                r.rows = {n, 4, 1, 4};
                add(reduce::algorithms(), r);
                add_step([&](cl::Task &task) { reduce::accumulate(task, r, kArray); });
                r.counted = {true, kArray};
                add_step([&](cl::Task &task) { reduce::accumulate(task, r, kArray); });
            }
        });
    }

    void add_sorts_by(size_t n) {
        for (const size_t size : {1, 3, 4, 8, 12, 24, 64}) {
            const std::string type = text("struct element_", size);
            sort_by::Request r;
            r.n = n;
            r.size = size;
            r.word = size % 8 == 0 ? 8 : size % 4 == 0 ? 4 : 1;
            r.text = sort_by::order_text(type.c_str(), "a.x[0] < b.x[0]",
                                         text(type, " { ",
                                              r.word == 8   ? "ulong"
                                              : r.word == 4 ? "uint"
                                                            : "uchar",
                                              " x[", size / r.word, "]; };")
                                             .c_str());
            r.elements = kArray;
            add_step([&](cl::Task &task) { sort_by::run(task, r); });
            r.counted = {true, kArray};
            add_step([&](cl::Task &task) { sort_by::run(task, r); });
        }
    }

    void add_transforms(size_t n) {
        transform::Request r;
        r.n = n;
        r.in.fill(kArray);
        r.out = kArray;
        const auto add_text = [&](std::initializer_list<gp_dtype> types, gp_dtype dtype, const char *source) {
            r.count = types.size();
            std::copy(types.begin(), types.end(), r.types.begin());
            r.dtype = dtype;
            r.source = source;
            add(transform::algorithms(), r);
        };
        add_text({GP_FLOAT32, GP_FLOAT32}, GP_FLOAT32, "x0 * 2 + x1");
        add_text({GP_UINT8}, GP_UINT8, "x0 > 3");
        add_text({GP_INT32, GP_INT8, GP_FLOAT16, GP_UINT16, GP_INT64, GP_INT32, GP_UINT8, GP_FLOAT32}, GP_FLOAT16,
                 "x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7");
        r.broadcast = 5;
        r.counted = kArray;
        add_text({GP_FLOAT16, GP_FLOAT64, GP_FLOAT64}, GP_FLOAT64, "x0 + x1 + x2 * i");
        r.broadcast = 0;
        add_text({}, GP_INT64, "i");
    }

    void add_differences(size_t n) {
        for (const gp_dtype type : {GP_INT8, GP_FLOAT16, GP_FLOAT32, GP_INT64, GP_FLOAT64}) {
            difference::Request r;
            r.dtype = type;
            r.in = r.out = kArray;
            for (const bool kept : {false, true}) {
                r.kept = kept;
                r.source = kept ? "" : "a * b";
                r.rows_in = r.rows_out = read_rows(n, 1, 0, 0, "in");
                add(difference::algorithms(), r);
                r.rows_in = r.rows_out = {n, 4, 1, 4};
                add(difference::algorithms(), r);
            }
        }
    }

    void add_merges(size_t n) {
        for (const gp_dtype type : {GP_INT8, GP_FLOAT16, GP_FLOAT32, GP_INT64}) {
            for (const size_t value_size : {0, 1, 2, 4, 8}) {
                merge::Request r;
                r.dtype = type;
                r.a = r.b = {n, kArray, kArray};
                r.out = r.out_values = kArray;
                r.value_size = r.value_alignment = value_size;
                add(merge::algorithms(), r);
            }
        }
    }

    void add_merges_of_runs(size_t n) {
        for (const gp_dtype type : {GP_INT8, GP_FLOAT16, GP_FLOAT32, GP_INT64}) {
            for (const size_t value_size : {0, 1, 2, 4, 8}) {
                merge_runs::Request r;
                r.dtype = type;
                r.n = n;
                r.runs = 3;
                r.offset_type = type == GP_INT8 ? GP_INT32 : GP_UINT64;
                r.offsets = kArray;
                r.in = r.out = {kArray, kArray};
                r.value_size = r.value_alignment = value_size;
                add(merge_runs::algorithms(), r);
            }
        }
    }

    void add_selections(size_t n) {
        select::Request r;
        r.n = r.capacity = n;
        r.kept = r.elements.in = r.elements.out = r.values.in = r.values.out = r.count = kArray;
        for (const size_t size : {1, 4, 8, 12}) {
            for (const size_t value_size : {0, 4}) {
                r.elements.size = size;
                r.elements.word = std::min(size & (~size + 1), size_t{8});
                r.values.size = r.values.word = value_size;
                for (const bool rest : {false, true}) {
                    r.rest = rest;
                    add(select::algorithms(), r);
                }
            }
        }
        r.thirds = true;
        add_step([&](cl::Task &task) { select::run_thirds(task, nullptr, r); });
        r.thirds = false;
        r.values = {};
        r.rest = false;
        r.elements.size = 12;
        r.elements.word = 4;
        r.source = "typedef uint3 GpThree; typedef struct { uint at[3]; } GpElement;\n"
                   "uint gp_keeps(GpElement x) { return x.at[1] > 5 ? 1u : 0u; }\n";
        add(select::algorithms(), r);
        r.source.clear();
        r.elements.size = r.elements.word = 0;
        for (const gp_dtype type : {GP_INT8, GP_FLOAT16, GP_FLOAT32, GP_INT64}) {
            r.type = r.key_type = type;
            r.index_size = type == GP_INT8 ? 8 : 4;
            add(select::algorithms(), r);
        }
    }

    void add_scans_by_key(size_t n) {
        scan_by_key::Request r;
        r.n = n;
        r.keys = r.values = r.out = r.bound = r.initial = kArray;
        for (const gp_dtype key : {GP_INT8, GP_FLOAT16, GP_UINT32, GP_FLOAT64})
            for (const gp_dtype type : {GP_INT32, GP_FLOAT64}) {
                r.key = key;
                r.from = r.dtype = type;
                add(scan_by_key::algorithms(), r);
            }
        r.from = GP_FLOAT16; // sums of a type of their own
        r.dtype = GP_FLOAT32;
        add(scan_by_key::algorithms(), r);
    }

    void add_repeats(size_t n) {
        repeat::Request r;
        r.n = r.capacity = n;
        r.in = r.out = r.repeats = r.bound = r.count = kArray;
        for (const size_t size : {1, 4, 24, 63}) {
            r.element_size = size;
            r.word = alignment_of(size);
            add(repeat::algorithms(), r);
        }
    }

    void add_unique(size_t n) {
        unique::Request request;
        runs::Request &r = request.runs;
        r.n = r.capacity = n;
        r.has_keys = r.has_results = r.has_firsts = request.has_inverse = true;
        r.keys = r.values = r.bound = r.out_keys = r.results = r.firsts = r.count = request.inverse = kArray;
        for (const gp_dtype index : {GP_UINT32, GP_UINT64}) {
            r.dtype = index;
            for (const gp_dtype key : {GP_INT32, GP_FLOAT16}) {
                r.key = key;
                add(unique::algorithms(), request);
            }
        }
    }

    void add_runs(size_t n) {
        runs::Request r;
        r.n = r.capacity = n;
        r.has_keys = r.has_results = true;
        r.keys = r.values = r.bound = r.out_keys = r.results = r.firsts = r.count = kArray;
        for (const gp_dtype key : {GP_INT8, GP_FLOAT16, GP_FLOAT32, GP_INT64}) {
            r.key = key;
            r.reduces = false;
            r.from = GP_UINT32;
            for (const gp_dtype index : {GP_UINT32, GP_UINT64}) {
                r.dtype = index;
                add(runs::length_algorithms(), r);
            }
            r.reduces = true;
            for_each_sum([&](gp_dtype dtype, gp_dtype from) {
                for (const Combine &combine : operators()) {
                    if (combine.op != GP_ADD && (n > 33 || key != GP_FLOAT32)) continue;
                    r.dtype = dtype;
                    r.from = from;
                    r.combine = combine;
                    add(runs::by_key_algorithms(), r);
                }
            });
            r.combine = {};
        }
    }

    void add_arg_reductions(size_t n) {
        for (const gp_dtype type : {GP_INT8, GP_FLOAT16, GP_FLOAT32, GP_INT64}) {
            arg_reduce::Request r;
            r.dtype = type;
            r.in = r.positions = r.values = kArray;
            r.rows = read_rows(n, 1, 0, 0, "in");
            add(arg_reduce::algorithms(), r);
            r.rows = {n, 4, 1, 4};
            add(arg_reduce::algorithms(), r);
        }
    }

    void add_top_ks(size_t n) {
        for (const gp_dtype type : {GP_INT8, GP_FLOAT16, GP_FLOAT32, GP_INT64})
            for (const size_t k : {size_t{1}, n / 20, n}) {
                top_k::Request r;
                r.dtype = type;
                r.k = k;
                r.has_positions = r.has_values = true;
                r.in = r.positions = r.values = kArray;
                r.rows = read_rows(n, 1, 0, 0, "in");
                add(top_k::algorithms(), r);
            }
    }

    void add_paths(size_t n) {
        for (const gp_dtype type : {GP_INT16, GP_INT32, GP_FLOAT32, GP_FLOAT64}) {
            paths::Request r;
            r.dtype = type;
            r.n = r.ld_in = r.ld_out = r.ld_predecessors = n;
            r.wants_negative = true;
            r.in = r.out = r.predecessors = r.negative = kArray;
            for (const bool predecessors : {false, true}) {
                r.wants_predecessors = predecessors;
                add(paths::algorithms(), r);
            }
        }
    }

    void add_movements(size_t n) {
        for (const size_t size : {1, 2, 4, 8, 12, 16}) {
            gather::Request r;
            r.index = GP_INT32;
            r.n = r.m = n;
            r.row_bytes = size;
            r.word = size == 12 ? 4 : size;
            r.wants_first = true;
            r.in = r.out = r.positions = r.first = kArray;
            add(gather::algorithms(), r);
            transpose::Request matrices;
            matrices.size = size;
            matrices.word = r.word;
            matrices.begin = 128;
            matrices.rows = matrices.in.ld = n;
            matrices.columns = matrices.out.ld = n;
            matrices.in.array = matrices.out.array = kArray;
            add(transpose::algorithms(), matrices);
        }
    }

    void add_searches(size_t n) {
        for (const gp_dtype type : {GP_INT8, GP_FLOAT16, GP_FLOAT32, GP_INT64}) {
            search::Request r;
            r.dtype = type;
            r.sorted = r.values = r.positions = kArray;
            r.n = n;
            for (const size_t m : {size_t{1}, n}) {
                r.m = m;
                add(search::algorithms(), r);
            }
            is_sorted::Request s;
            s.dtype = type;
            s.in = s.positions = kArray;
            s.rows = read_rows(n, 1, 0, 0, "in");
            add(is_sorted::algorithms(), s);
            s.rows = {n, 4, 1, 4};
            add(is_sorted::algorithms(), s);
        }
    }

    // Of few segments, which are sorted by warps, and of many.
    void add_sorts_of_segments(const sort::Request &whole, size_t segments) {
        sort::Request r = whole;
        r.has_segments = true;
        r.segments = segments;
        r.offsets = kArray;
        add(sort::algorithms(), r);
        r.has_ends = true;
        r.ends = kArray;
        r.offset_type = GP_INT32;
        r.values = kArray;
        for (const size_t size : {4, 3}) {
            r.value_size = size;
            r.value_alignment = size & (~size + 1);
            add(sort::algorithms(), r);
        }
        r.value_size = 0;
        r.index = GP_UINT64;
        r.indices = kArray;
        add(sort::algorithms(), r);
    }

    void add_sorts(size_t n) {
        for (const gp_dtype type : {GP_INT8, GP_INT16, GP_INT32, GP_INT64, GP_FLOAT32, GP_FLOAT64}) {
            sort::Request r;
            r.dtype = type;
            r.n = n;
            r.end_bit = static_cast<unsigned>(8 * dtype(type).size);
            r.keys = kArray;
            add(sort::algorithms(), r);
            add_step([&](cl::Task &task) { sort::ranges_program(task, r); });
            for (const size_t size : {4, 8, 16, 3}) {
                sort::Request pairs = r;
                pairs.values = kArray;
                pairs.value_size = size;
                pairs.value_alignment = size & (~size + 1);
                add(sort::algorithms(), pairs);
            }
            for (const gp_dtype index : {GP_UINT32, GP_UINT64}) {
                sort::Request order = r;
                order.index = index;
                order.indices = kArray;
                add(sort::algorithms(), order);
            }
            for (const size_t step : {1, 4}) {
                sort::Request rows = r;
                rows.batch = 4;
                rows.stride = step == 1 ? n : 1;
                rows.step = step;
                const sort::Algorithm *const for_rows = sort::choose_for_rows(context_, rows);
                const auto &chosen =
                    for_rows != nullptr ? *for_rows : choose(sort::algorithms(), nullptr, context_, rows);
                add_step([&](cl::Task &task) { sort::run_rows(task, chosen, rows); });
            }
            for (const size_t segments : {size_t{100}, size_t{1000000}}) add_sorts_of_segments(r, segments);
        }
    }

    void add_histograms(size_t n) {
        for (const Dtype &type : kDtypes)
            for (const size_t bins : {size_t{256}, size_t{1} << 16, size_t{1} << 20}) {
                histogram::Request r;
                r.dtype = type.code;
                r.n = n;
                r.in = r.counts = kArray;
                r.bins = histogram::known_bins(type.code, host::even_bins(type.code, bins, 0, 100));
                add(histogram::algorithms(), r);
                if (!is_float(type.code))
                    r.bins = histogram::known_bins(type.code, host::whole_bins(type.code, bins, 0));
                add(histogram::algorithms(), r);
                const double edges[] = {0, 1, 10};
                r.bins = histogram::known_bins(type.code, host::bins_between(type.code, 2, edges, GP_FLOAT64));
                add(histogram::algorithms(), r);
                const double gathered[] = {0, 1e-20, 1e-10, 1};
                r.bins = histogram::known_bins(type.code, host::bins_between(type.code, 3, gathered, GP_FLOAT64));
                add(histogram::algorithms(), r);
                add_step([&](cl::Task &task) { histogram::accumulate(task, r, kArray); });
            }
    }

    void add_weighted_histograms(size_t n) {
        for (const gp_dtype type : {GP_INT8, GP_FLOAT16, GP_FLOAT32, GP_FLOAT64})
            for (const size_t bins : {size_t{16}, size_t{1} << 16}) {
                histogram_weighted::Request r;
                r.dtype = type;
                r.n = n;
                r.x = r.y = r.weights = r.sums = kArray;
                r.bins_x = histogram::known_bins(type, host::even_bins(type, bins, 0, 100));
                for (const gp_dtype weight : {GP_FLOAT32, GP_FLOAT64}) {
                    r.weight_dtype = r.sums_dtype = weight;
                    add(histogram_weighted::algorithms(), r);
                }
                r.bins_y = histogram::known_bins(type, host::even_bins(type, 3, 0, 100));
                r.weight_dtype = GP_FLOAT32;
                add(histogram_weighted::algorithms(), r);
                r.weight_dtype = 0;
                r.sums_dtype = GP_UINT64;
                add(histogram_weighted::algorithms(), r);
            }
    }

    void add_recurrences(size_t n) {
        const uint64_t zeros[recurrence::kLargestOrder] = {};
        for (const gp_dtype type : {GP_FLOAT32, GP_FLOAT64})
            for (const bool reverse : {false, true}) {
                recurrence::Request r;
                r.dtype = type;
                r.n = r.stride_in = r.stride_out = r.stride_varying = n;
                r.has_in = true;
                r.reverse = reverse;
                r.in = r.out = r.varying = kArray;
                add(recurrence::varying_algorithms(), r);
                r.coefficients = zeros;
                for (r.order = 1; r.order <= recurrence::kLargestOrder; ++r.order) {
                    add(recurrence::algorithms(), r);
                    add_step([&](cl::Task &task) { recurrence::hand_on(task, r, kArray); });
                }
            }
    }

    void add_products(size_t n) {
        for (const gp_dtype type : {GP_INT16, GP_INT32, GP_FLOAT16, GP_FLOAT32, GP_FLOAT64})
            for (gp_semiring semiring = GP_PLUS_TIMES; semiring <= GP_OR_AND; ++semiring)
                for (const gp_precision precision : {GP_FULL, GP_FAST})
                    for (int transposed = 0; transposed < 4; ++transposed) {
                        matmul::Request r;
                        r.dtype = type;
                        r.semiring = semiring;
                        r.precision = precision;
                        r.m = r.n = r.k = n;
                        const auto matrix = [&](bool turned) {
                            return matmul::Matrix{kArray, turned ? 1 : n, turned ? n : 1, 0};
                        };
                        r.a = matrix((transposed & 1) != 0);
                        r.b = matrix((transposed & 2) != 0);
                        r.c = matrix(false);
                        if (type == GP_FLOAT64) r.alpha = r.beta = 1.0;
                        if (type == GP_INT32) r.alpha = r.beta = int32_t{1};
                        if (type == GP_INT16) r.alpha = r.beta = int16_t{1};
                        add(matmul::algorithms(), r);
                        r.m = 1;
                        add(matmul::algorithms(), r);
                    }
        add_products_of_bytes_and_pairs(n);
        add_products_with_texts(n);
    }

    // Of the types that have few programs of their own, and with results of other types.
    void add_products_of_bytes_and_pairs(size_t n) {
        for (const auto &[type, of_c] : {std::pair<gp_dtype, gp_dtype>{GP_BFLOAT16, 0},
                                         {GP_BFLOAT16, GP_FLOAT32},
                                         {GP_FLOAT16, GP_FLOAT32},
                                         {GP_INT8, 0},
                                         {GP_INT8, GP_INT32},
                                         {GP_UINT8, GP_INT32},
                                         {GP_INT16, GP_INT32}})
            for (const bool turned : {false, true}) {
                matmul::Request r;
                r.dtype = type;
                r.c_dtype = of_c;
                r.m = r.n = r.k = n;
                r.a = r.b = r.c = matmul::Matrix{kArray, n, 1, 0};
                if (turned) std::swap(r.b.row_stride, r.b.column_stride);
                if (r.computed() == GP_INT32) r.alpha = r.beta = int32_t{1};
                add(matmul::algorithms(), r);
                r.m = 1;
                add(matmul::algorithms(), r);
            }
    }

    // With a finish, one with text, and by the caller's semiring.
    void add_products_with_texts(size_t n) {
        for (const gp_dtype type : {GP_FLOAT16, GP_FLOAT32, GP_FLOAT64})
            for (const bool is_text : {false, true})
                for (const gp_semiring semiring : {gp_semiring{GP_PLUS_TIMES}, matmul::kCallersSemiring}) {
                    matmul::Request r;
                    r.dtype = type;
                    r.semiring = semiring;
                    r.m = r.n = r.k = n;
                    r.a = r.b = r.c = matmul::Matrix{kArray, n, 1, 0};
                    matmul::Finish &finish = r.finish.emplace();
                    finish.bias_by = is_text ? matmul::Finish::Bias::kByRow : matmul::Finish::Bias::kByColumn;
                    finish.bias = kArray;
                    finish.activation = is_text ? GP_NO_ACTIVATION : GP_GELU;
                    finish.is_text = is_text;
                    if (type == GP_FLOAT64) r.alpha = r.beta = finish.low = finish.high = 1.0;
                    r.preamble = text(type == GP_FLOAT64 ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "",
                                      "typedef ", type == GP_FLOAT64 ? "double" : "float",
                                      " T;\n"
                                      "T gp_plus_text(T a, T b) { return fmin(a, b); }\n"
                                      "T gp_times_text(T a, T b) { return a + b; }\n"
                                      "T gp_zero_text(void) { return INFINITY; }\n"
                                      "T gp_one_text(void) { return 0; }\n"
                                      "T gp_finish_text(T x, T b, ulong i, ulong j) { return x + b * (i + j); }");
                    if (!is_text && semiring == GP_PLUS_TIMES) r.preamble.clear();
                    add(matmul::algorithms(), r);
                    r.m = 1;
                    add(matmul::algorithms(), r);
                }
    }

    const cl::Context &context_;
};

int list(const Described &described, const std::filesystem::path &folder) {
    const cl::Context context(device_of(described), cl::Context::Described{});
    Lister lister(context);
    lister.add_all();
    std::map<std::string, std::string> preambles;
    for (const cl::ProgramKey &key : lister.programs) {
        std::string &file = preambles[key.preamble];
        if (file.empty() && key.preamble.empty()) file.push_back('-');
        if (file.empty()) {
            file = text("preamble-", preambles.size(), ".cl");
            std::filesystem::create_directories(folder);
            std::ofstream(folder / file) << key.preamble << '\n';
        }
        std::printf("%s\t%s\t%zu\t%s\n", key.path.c_str(), key.options.c_str(), key.groups_per_unit, file.c_str());
    }
    return 0;
}

// Those of the programs that have an option, or a preamble, which none before them of the same file
// has.
std::vector<cl::ProgramKey> with_every_option(const std::set<cl::ProgramKey> &programs) {
    std::vector<cl::ProgramKey> result;
    std::map<std::string, std::set<std::string>> seen; // of each kernel file
    for (const cl::ProgramKey &key : programs) {
        std::set<std::string> &of_file = seen[key.path];
        bool is_new = of_file.insert(key.preamble.empty() ? "" : "a preamble").second;
        std::istringstream options(key.options);
        for (std::string one; options >> one;) is_new |= of_file.insert(one).second;
        if (is_new) result.push_back(key);
    }
    return result;
}

int write_sources(const Described &described, const std::filesystem::path &folder) {
    const cl::Context context(device_of(described), cl::Context::Described{});
    Lister lister(context);
    lister.add_all();
    std::filesystem::create_directories(folder);
    size_t number = 0;
    for (const cl::ProgramKey &key : with_every_option(lister.programs))
        std::ofstream(folder / text(++number, ".cl")) << "// " << key.options << '\n'
                                                      << cl::assemble_source(key.path, key.preamble, "operator");
    std::printf("%zu of %zu programs\n", number, lister.programs.size());
    return number > 0 ? 0 : 1;
}

// Files with a kernel that no plan names.
int check_reached(const std::filesystem::path &kernels) {
    std::set<std::string> reached;
    for (const Described &described : kDevices) {
        const cl::Context context(device_of(described), cl::Context::Described{});
        Lister lister(context);
        lister.add_all();
        for (const cl::ProgramKey &key : lister.programs) reached.insert(key.path);
        std::printf("%s: %zu programs\n", described.name, lister.programs.size());
    }
    std::set<std::string> included, with_kernel;
    const std::regex include("#include \"([^\"]+)\""), kernel("(^|\n)[^/\n]*\\b(__)?kernel\\b");
    for (const auto &entry : std::filesystem::recursive_directory_iterator(kernels)) {
        if (entry.path().extension() != ".cl") continue;
        std::ifstream file(entry.path());
        const std::string all{std::istreambuf_iterator<char>(file), {}};
        if (std::regex_search(all, kernel)) with_kernel.insert(entry.path().lexically_relative(kernels).string());
        for (std::sregex_iterator i(all.begin(), all.end(), include), end; i != end; ++i) included.insert((*i)[1]);
    }
    int failures = with_kernel.empty() ? 1 : 0;
    for (const std::string &file : with_kernel) {
        if (reached.contains(file) || included.contains(file)) continue;
        std::printf("FAILED: no plan builds kernels/%s\n", file.c_str());
        ++failures;
    }
    return failures;
}

// Kernel files of which without_unrolling leaves a pragma, or changes anything else.
int check_unrolling() {
    const std::regex unroll("#pragma unroll[^\n]*|_Pragma\\(\"unroll[^)]*\\)");
    int failures = 0, changed = 0;
    for (const cl::EmbeddedSource *source = cl::kEmbeddedSources; source->path != nullptr; ++source) {
        const std::string all(reinterpret_cast<const char *>(source->text), source->bytes);
        std::string expected = all;
        for (std::sregex_iterator i(all.begin(), all.end(), unroll), end; i != end; ++i, ++changed)
            std::fill_n(expected.begin() + i->position(), i->length(), ' ');
        if (cl::without_unrolling(all) == expected) continue;
        std::printf("FAILED: kernels/%s without unrolling\n", source->path);
        ++failures;
    }
    return failures + (changed == 0 ? 1 : 0);
}

// Do default calls of other sizes than those that default_programs plans need other programs?
int check_defaults() {
    constexpr int kTries = 3000, kTunedTries = 60;
    std::mt19937_64 random(1);
    const auto any_size = [&](size_t most) {
        const double x = std::uniform_real_distribution<double>(0, std::log2(static_cast<double>(most)))(random);
        return std::clamp(static_cast<size_t>(std::exp2(x)), size_t{1}, most);
    };
    int failures = 0;
    for (const Described &described : kDevices) {
        cl::Context context(device_of(described), cl::Context::Described{});
        const auto covers = [&](const Operation &operation, gp_dtype type, int tries, auto &&plan_any) {
            const auto built = default_programs(context, operation, type);
            const std::set<cl::ProgramKey> all(built.begin(), built.end());
            if (all.empty()) ++failures;
            for (int i = 0; i < tries; ++i) {
                const auto [n, planned] = plan_any(type);
                for (const cl::ProgramKey &key : planned.programs) {
                    if (all.contains(key)) continue;
                    std::printf("FAILED: n = %zu needs %s%s\n", n, key.path.c_str(), key.options.c_str());
                    ++failures;
                    i = tries;
                }
            }
            return all.size();
        };
        std::set<gp_operation> tuned; // of one type each
        const auto check = [&](gp_operation code, gp_dtype type, auto &&plan_any) {
            const Operation &one = operation(code);
            std::printf("%s: %s on %s: %zu programs\n", described.name, one.name, dtype(type).name,
                        covers(one, type, kTries, plan_any));
            if (!tuned.insert(code).second) return;
            for (const Parameter *parameter : one.parameters())
                for (const size_t value : {parameter->values.front(), parameter->values.back()}) {
                    const int before = failures;
                    const TuningKey key{one.name, type, parameter->algorithm, parameter->name};
                    context.tune(key, value);
                    covers(one, type, kTunedTries, plan_any);
                    context.tune(key, 0);
                    if (failures != before)
                        std::printf("... with %s %s = %zu\n", parameter->algorithm, parameter->name, value);
                }
        };
        const auto planned = [&](size_t n, const auto &algorithms, const auto &request) {
            cl::Plan made = plan(context, choose(algorithms, nullptr, context, request), request);
            for (const auto &counted : counted_forms(request)) { // whose programs are warmed up, too
                const cl::Plan more = plan(context, choose(algorithms, nullptr, context, counted), counted);
                made.programs.insert(made.programs.end(), more.programs.begin(), more.programs.end());
            }
            return std::pair(n, std::move(made));
        };
        for (const gp_dtype type : {GP_INT8, GP_UINT32, GP_INT64, GP_FLOAT32, GP_FLOAT64})
            check(GP_SORT, type, [&](gp_dtype of) {
                sort::Request r;
                r.dtype = of;
                r.n = any_size((size_t{1} << 31) - 1);
                r.end_bit = static_cast<unsigned>(8 * dtype(of).size);
                r.keys = kArray;
                return planned(r.n, sort::algorithms(), r);
            });
        for (const gp_dtype type : {GP_INT32, GP_FLOAT64}) {
            check(GP_SCAN, type, [&](gp_dtype of) {
                scan::Request r;
                r.dtype = r.from = of;
                r.n = any_size(size_t{1} << 31);
                r.in = r.out = kArray;
                r.rows_in = r.rows_out = read_rows(r.n, 1, 0, 0, "in");
                return planned(r.n, scan::algorithms(), r);
            });
            check(GP_REDUCE, type, [&](gp_dtype of) {
                reduce::Request r;
                r.dtype = r.from = of;
                r.n = any_size(size_t{1} << 31);
                r.in = r.out = kArray;
                r.rows = read_rows(r.n, 1, 0, 0, "in");
                return planned(r.n, reduce::algorithms(), r);
            });
            check(GP_ARG_REDUCE, type, [&](gp_dtype of) {
                arg_reduce::Request r;
                r.dtype = of;
                r.in = r.positions = r.values = kArray;
                r.rows = read_rows(any_size(size_t{1} << 31), 1, 0, 0, "in");
                return planned(r.rows.n, arg_reduce::algorithms(), r);
            });
            check(GP_MERGE, type, [&](gp_dtype of) {
                merge::Request r;
                r.dtype = of;
                r.a.keys = r.b.keys = r.out = kArray;
                r.a.n = any_size(size_t{1} << 31);
                r.b.n = any_size(size_t{1} << 31);
                return planned(r.n(), merge::algorithms(), r);
            });
            check(GP_SELECT, type, [&](gp_dtype of) {
                select::Request r;
                r.n = r.capacity = any_size(size_t{1} << 31);
                r.type = gpcl::dtype(of).size == 4 ? GP_UINT32 : of;
                r.elements.size = r.elements.word = gpcl::dtype(of).size;
                r.kept = r.elements.in = r.elements.out = r.count = kArray;
                if (r.n % 2 == 0) {
                    r.index_size = r.n % 4 == 0 ? 4 : 8;
                    r.elements.size = r.elements.word = 0;
                    r.type = r.key_type = of;
                }
                return planned(r.n, select::algorithms(), r);
            });
            check(GP_MERGE_RUNS, type, [&](gp_dtype of) {
                merge_runs::Request r;
                r.dtype = of;
                r.offsets = r.in.keys = r.out.keys = kArray;
                r.n = any_size(size_t{1} << 31);
                r.runs = std::min(any_size(size_t{1} << 31), r.n);
                return planned(r.n, merge_runs::algorithms(), r);
            });
            check(GP_GATHER, type, [&](gp_dtype of) {
                gather::Request r;
                r.n = r.m = any_size(size_t{1} << 31);
                r.row_bytes = r.word = dtype(of).size;
                r.in = r.out = r.positions = kArray;
                return planned(r.m, gather::algorithms(), r);
            });
            check(GP_TRANSPOSE_MATRIX, type, [&](gp_dtype of) {
                transpose::Request r;
                r.size = r.word = dtype(of).size;
                r.begin = 128;
                r.rows = r.columns = r.in.ld = r.out.ld = any_size(1 << 15);
                r.in.array = r.out.array = kArray;
                return planned(r.rows, transpose::algorithms(), r);
            });
            check(GP_TOP_K, type, [&](gp_dtype of) {
                top_k::Request r;
                r.dtype = of;
                r.has_positions = r.has_values = true;
                r.in = r.positions = r.values = kArray;
                r.rows = read_rows(any_size(size_t{1} << 31), 1, 0, 0, "in");
                r.k = std::min(any_size(size_t{1} << 31), r.rows.n);
                return planned(r.rows.n, top_k::algorithms(), r);
            });
            check(GP_SEARCH, type, [&](gp_dtype of) {
                search::Request r;
                r.dtype = of;
                r.sorted = r.values = r.positions = kArray;
                r.n = any_size(size_t{1} << 31);
                r.m = any_size(size_t{1} << 31);
                return planned(r.n, search::algorithms(), r);
            });
            check(GP_DIFFERENCE, type, [&](gp_dtype of) {
                difference::Request r;
                r.dtype = of;
                r.in = r.out = kArray;
                r.rows_in = r.rows_out = read_rows(any_size(size_t{1} << 31), 1, 0, 0, "in");
                return planned(r.n(), difference::algorithms(), r);
            });
            check(GP_IS_SORTED, type, [&](gp_dtype of) {
                is_sorted::Request r;
                r.dtype = of;
                r.in = r.positions = kArray;
                r.rows = read_rows(any_size(size_t{1} << 31), 1, 0, 0, "in");
                return planned(r.rows.n, is_sorted::algorithms(), r);
            });
        }
        for (const gp_dtype type : {GP_INT32, GP_FLOAT32}) {
            const auto runs_of = [&](bool reduces) {
                runs::Request r;
                r.reduces = reduces;
                r.n = r.capacity = any_size(size_t{1} << 31);
                r.has_keys = r.has_results = true;
                r.keys = r.values = r.bound = r.out_keys = r.results = r.firsts = r.count = kArray;
                return r;
            };
            check(GP_RUN_LENGTHS, type, [&](gp_dtype of) {
                runs::Request r = runs_of(false);
                r.key = of;
                r.dtype = GP_UINT64;
                return planned(r.n, runs::length_algorithms(), r);
            });
            check(GP_REDUCE_BY_KEY, type, [&](gp_dtype of) {
                runs::Request r = runs_of(true);
                r.from = r.dtype = of;
                return planned(r.n, runs::by_key_algorithms(), r);
            });
        }
        for (const gp_dtype type : {GP_INT32, GP_FLOAT64})
            check(GP_SCAN_BY_KEY, type, [&](gp_dtype of) {
                scan_by_key::Request r;
                r.from = r.dtype = of;
                r.n = any_size(size_t{1} << 31);
                r.keys = r.values = r.out = r.bound = r.initial = kArray;
                return planned(r.n, scan_by_key::algorithms(), r);
            });
        for (const gp_dtype type : {GP_UINT8, GP_FLOAT32})
            check(GP_REPEAT, type, [&](gp_dtype of) {
                repeat::Request r;
                r.element_size = r.word = gpcl::dtype(of).size;
                r.n = r.capacity = any_size(size_t{1} << 31);
                r.in = r.out = r.repeats = r.bound = r.count = kArray;
                return planned(r.n, repeat::algorithms(), r);
            });
        for (const gp_dtype type : {GP_INT32, GP_FLOAT16, GP_FLOAT32})
            check(GP_UNIQUE, type, [&](gp_dtype of) {
                unique::Request request;
                runs::Request &r = request.runs;
                r.key = of;
                r.dtype = GP_UINT64;
                r.n = r.capacity = any_size(size_t{1} << 31);
                r.has_keys = r.has_results = true;
                r.keys = r.values = r.bound = r.out_keys = r.results = r.firsts = r.count = kArray;
                return planned(r.n, unique::algorithms(), request);
            });
        for (const gp_dtype type : {GP_INT32, GP_FLOAT32})
            check(GP_PATHS, type, [&](gp_dtype of) {
                paths::Request r;
                r.dtype = of;
                r.n = r.ld_in = r.ld_out = r.ld_predecessors = any_size(1 << 11);
                r.wants_predecessors = r.n % 2 == 0;
                r.in = r.out = r.predecessors = kArray;
                return planned(r.n, paths::algorithms(), r);
            });
        for (const gp_dtype type : {GP_UINT8, GP_FLOAT32})
            check(GP_HISTOGRAM, type, [&](gp_dtype of) {
                histogram::Request r;
                r.dtype = of;
                r.n = any_size(size_t{1} << 31);
                const size_t bins = any_size(1 << 12);
                r.bins = histogram::known_bins(of, of == GP_UINT8 ? host::whole_bins(of, bins, 0)
                                                                  : host::even_bins(of, bins, -1, 3));
                r.in = r.counts = kArray;
                return planned(r.n, histogram::algorithms(), r);
            });
        for (const gp_dtype type : {GP_UINT8, GP_FLOAT32})
            check(GP_HISTOGRAM_WEIGHTED, type, [&](gp_dtype of) {
                histogram_weighted::Request r;
                r.dtype = of;
                r.n = any_size(size_t{1} << 31);
                const size_t bins = any_size(1 << 12);
                r.bins_x = histogram::known_bins(of, host::even_bins(of, bins, 0, 3));
                r.x = r.y = r.weights = r.sums = kArray;
                if (bins % 2 == 0) {
                    r.weight_dtype = r.sums_dtype = bins % 4 == 0 ? GP_FLOAT32 : GP_FLOAT64;
                } else {
                    r.bins_y = histogram::known_bins(of, host::even_bins(of, 3, 0, 3));
                }
                return planned(r.n, histogram_weighted::algorithms(), r);
            });
        for (const gp_dtype type : {GP_FLOAT32, GP_FLOAT64}) {
            const uint64_t half = 0;
            const auto request = [&](gp_dtype of) {
                recurrence::Request r;
                r.dtype = of;
                r.n = r.stride_in = r.stride_out = r.stride_varying = any_size(size_t{1} << 31);
                r.has_in = true;
                r.in = r.out = r.varying = kArray;
                return r;
            };
            check(GP_RECURRENCE, type, [&](gp_dtype of) {
                recurrence::Request r = request(of);
                r.coefficients = &half;
                return planned(r.n, recurrence::algorithms(), r);
            });
            check(GP_RECURRENCE_VARYING, type, [&](gp_dtype of) {
                const recurrence::Request r = request(of);
                return planned(r.n, recurrence::varying_algorithms(), r);
            });
        }
        for (const gp_dtype type : {GP_INT8, GP_INT32, GP_FLOAT16, GP_FLOAT32, GP_FLOAT64, GP_BFLOAT16})
            check(GP_MATMUL, type, [&](gp_dtype of) {
                matmul::Request r;
                r.dtype = of;
                const size_t n = any_size(1 << 14);
                r.m = r.n = r.k = n;
                r.a = r.b = r.c = {kArray, n, 1, 0};
                if (of == GP_FLOAT64) r.alpha = r.beta = 1.0;
                if (r.computed() == GP_INT32) r.alpha = r.beta = int32_t{1};
                return planned(n, matmul::algorithms(), r);
            });
    }
    return failures;
}

} // namespace

int main(int count, char **arguments) {
    if (count == 3 && std::strcmp(arguments[1], "--check") == 0) {
        const int failures = check_reached(arguments[2]) + check_unrolling() + check_defaults();
        std::printf("%d failures\n", failures);
        return failures == 0 ? 0 : 1;
    }
    for (const Described &one : kDevices)
        if (count >= 3 && std::strcmp(arguments[1], one.name) == 0) {
            if (count == 3) return list(one, arguments[2]);
            if (std::strcmp(arguments[3], "--sources") == 0) return write_sources(one, arguments[2]);
        }
    std::fprintf(stderr, "programs DEVICE FOLDER [--sources], or --check KERNELS; devices:");
    for (const Described &one : kDevices) std::fprintf(stderr, " %s", one.name);
    std::fprintf(stderr, "\n");
    return 2;
}
