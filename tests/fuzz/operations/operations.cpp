// Every operation on "host" with options made of bytes: where the call succeeds, the results are
// those of the oracles in tests/reference, and nothing else was written.
// SPDX-License-Identifier: MIT
#include "operations.h"

#include <sys/mman.h>

namespace fuzz {
namespace {

constexpr Operation kOperations[] = {scan,          reduce,
                                     arg_reduce,    difference,
                                     is_sorted,     top_k,
                                     sort,          search,
                                     merge,         merge_runs,
                                     unique,        run_lengths,
                                     reduce_by_key, scan_by_key,
                                     select,        nonzero,
                                     gather,        transpose,
                                     repeat,        histogram,
                                     histogram_2d,  histogram_weighted,
                                     matmul,        paths,
                                     recurrence,    recurrence_varying,
                                     texts};

// Spread over 64 bits.
uint64_t scrambled(uint64_t i) {
    i = (i + 1) * 0x9e3779b97f4a7c15U;
    i = (i ^ i >> 29) * 0xbf58476d1ce4e5b9U;
    return i ^ i >> 32;
}

} // namespace

gp_context *host() {
    static gp_context *const context = [] {
        setenv("GPCL_TUNING", "off", 1);
        gp_context *opened = nullptr;
        require(gp_open("host", &opened) == GP_SUCCESS, gp_error_message());
        return opened;
    }();
    return context;
}

namespace {
constexpr size_t kPage = 4096, kBefore = 64;
constexpr unsigned char kStays = 0xa5;
} // namespace

Room::Room(size_t bytes) : bytes_((bytes + kBefore + kPage - 1) / kPage * kPage + kPage) {
    void *const pages = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require(pages != MAP_FAILED, "memory for the arrays");
    pages_ = static_cast<unsigned char *>(pages);
    require(mprotect(pages_ + bytes_ - kPage, kPage, PROT_NONE) == 0, "a page that can't be touched");
    begin_ = pages_ + bytes_ - kPage - bytes;
    std::fill(begin_ - kBefore, begin_, kStays);
}

Room::~Room() {
    const bool is_intact = std::all_of(begin_ - kBefore, begin_, [](unsigned char byte) { return byte == kStays; });
    require(is_intact, "nothing is written before an array");
    munmap(pages_, bytes_);
}

bool Array::equals(const Array &other) const {
    if (*this == other) return true;
    return n_ == other.n_ && gpcl::is_float(dtype_) && typed(dtype_, [&](auto zero) {
               using T = std::conditional_t<std::is_same_v<decltype(zero), float>, float, double>;
               for (size_t i = 0; i < n_; ++i) {
                   const T a = at<T>(i), b = other.at<T>(i);
                   if (a != b && (a == a || b == b)) return false;
               }
               return true;
           });
}

Array Case::array(gp_dtype dtype, Size n, bool calm) {
    constexpr Size kMost = 1 << 16; // elements
    const size_t element = std::max<size_t>(gp_dtype_size(dtype), 1);
    if (n * element > PTRDIFF_MAX) {
        is_impossible_ = true;
        n = 0;
    }
    if (n > kMost) throw Skip{};
    Array result(dtype, static_cast<size_t>(n));
    const size_t kind = below(4), seed = take();
    if (gp_dtype_size(dtype) == 0 || dtype == GP_BFLOAT16) {
        if (n > 0) std::memset(result.data(), 0, result.size() * element);
        return result;
    }
    typed(dtype, [&](auto zero) {
        using T = decltype(zero);
        for (size_t i = 0; i < result.size(); ++i) {
            const uint64_t bits = scrambled(kind == 1 ? seed : seed * 65536 + i);
            const int64_t small = kind == 2 ? static_cast<int64_t>(i % 2) : static_cast<int64_t>(bits % 3) - 1;
            T value{};
            if constexpr (std::is_integral_v<T>)
                value = static_cast<T>(kind == 3 ? bits : static_cast<uint64_t>(small));
            else if (kind == 3 && !calm)
                std::memcpy(&value, &bits, sizeof value);
            else if constexpr (std::is_same_v<T, reference::half>)
                value = reference::to_half(static_cast<double>(small));
            else
                value = static_cast<T>(small);
            result.put(i, value);
        }
    });
    return result;
}

Array Case::offsets(gp_dtype dtype, size_t count, size_t n) {
    if (count > 1000 || gp_dtype_size(dtype) < sizeof(uint32_t)) throw Skip{};
    Array result(dtype, count);
    const size_t seed = take(), wrong = below(64);
    std::vector<uint64_t> values;
    for (size_t i = 0; i < count; ++i) values.push_back(scrambled(seed + i) % (n + 1));
    std::sort(values.begin(), values.end());
    if (count > 0 && flag()) values.front() = 0;
    if (count > 0 && flag()) values.back() = n;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t value = i == wrong ? take<uint32_t>() : values[i];
        typed(dtype, [&](auto zero) {
            if constexpr (std::is_arithmetic_v<decltype(zero)>) result.put(i, static_cast<decltype(zero)>(value));
        });
    }
    return result;
}

const char *Case::algorithm(gp_operation operation) {
    const size_t which = take();
    if (which < 0xc0) return nullptr;
    if (which == 0xff) return (name_ = text(below(8))).c_str();
    size_t count = 0;
    gp_algorithms(operation, &count);
    gp_algorithm_info info{};
    info.struct_size = sizeof info;
    require(gp_algorithm_describe(operation, which % count, &info) == GP_SUCCESS, "algorithms are described");
    return info.name;
}

void Case::check(const char *name, gp_status status, const std::vector<Array *> &outputs) {
    const std::string call = std::string(name) + ", " + gp_status_name(status) + ", " + gp_error_message() + ": ";
    require(std::strcmp(gp_status_name(status), "unknown status") != 0, call + "the status has a name");
    require(status != GP_ERROR_INTERNAL, call + "no bug");
    require((*gp_error_message() == '\0') == (status == GP_SUCCESS), call + "a failure has a message");
    require(status != GP_SUCCESS || !is_impossible_, call + "what can't be is refused");
    require(status == GP_SUCCESS || event_ == nullptr, call + "a failure hands out no event");
    if (event_ != nullptr) require(gp_event_free(event_) == GP_SUCCESS, call + "the event can be freed");
    event_ = nullptr;
    constexpr gp_status kFirst = GP_ERROR_NULL_POINTER, kLast = GP_ERROR_BUILD - 1;
    if (status != GP_ERROR_TOO_LARGE && (status < kFirst || status > kLast)) return;
    for (size_t i = 0; i < outputs.size(); ++i)
        require(*outputs[i] == before_[i], call + "a refusal leaves the outputs as they were");
}

} // namespace fuzz

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    fuzz::Case one(bytes, size);
    try {
        fuzz::kOperations[one.below(std::size(fuzz::kOperations))](one);
    } catch (const fuzz::Skip &) {
    }
    return 0;
}
