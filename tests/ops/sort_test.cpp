// Sort of keys, of pairs and of indices: bit for bit the stable order of NumPy.
// SPDX-License-Identifier: MIT
#include "stable.h"

#include <bit>
#include <cmath>
#include <functional>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace {

using namespace test;

using KeyTypes =
    testing::Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, float, double>;

struct TypeNames {
    template <class T> static std::string GetName(int) { return gp_dtype_name(dtype<T>()); }
};

constexpr gp_order kOrders[] = {GP_ASCENDING, GP_DESCENDING};
constexpr size_t kValueSizes[] = {1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 33, 64};

enum class Keys {
    random,
    sorted,
    reversed,
    all_equal,
    few_distinct,
    one_bit,
    special,
    zipf,     // the k-th most frequent 1/k as often as the first
    one_byte, // what varies is one byte, another for each n: the digits of most passes are the same in all keys
    outlier,  // all equal but the last
};
constexpr Keys kKeys[] = {Keys::random,  Keys::sorted,  Keys::reversed, Keys::all_equal, Keys::few_distinct,
                          Keys::one_bit, Keys::special, Keys::zipf,     Keys::one_byte,  Keys::outlier};
constexpr const char *kKeysNames[] = {"random",  "sorted",  "reversed", "all equal", "few distinct",
                                      "one bit", "special", "zipf",     "one byte",  "outlier"};

// NaN of both signs with several payloads, infinities, zeros, denormals; for integers the ends of
// the range.
template <class T> std::vector<T> special_values() {
    using limits = std::numeric_limits<T>;
    std::vector<T> values = {T(0), T(1), limits::max(), limits::lowest(), T(limits::max() - 1), T(-1)};
    if constexpr (limits::has_infinity) {
        const uint64_t sign = uint64_t(1) << (sizeof(T) * 8 - 1);
        const uint64_t quiet = sizeof(T) == 4 ? 0x7fc00000 : 0x7ff8000000000000;
        const uint64_t exponent = sizeof(T) == 4 ? 0x7f800000 : 0x7ff0000000000000;
        for (const uint64_t bits :
             {quiet, quiet | 1, quiet | 0x1234, exponent, uint64_t(0), uint64_t(1), uint64_t(2)}) {
            values.push_back(from_bits<T>(bits));
            values.push_back(from_bits<T>(bits | sign));
        }
        values.push_back(limits::min());
        values.push_back(-limits::min());
    }
    return values;
}

template <class T> std::vector<T> keys_of(Keys kind, size_t n) {
    std::mt19937_64 random(n * 10 + static_cast<size_t>(kind));
    const uint64_t common = random();
    const std::vector<T> special = special_values<T>();
    std::vector<T> keys(n);
    for (T &key : keys) {
        switch (kind) {
        case Keys::all_equal: key = from_bits<T>(common); break;
        case Keys::few_distinct: key = static_cast<T>(random() % 5); break;
        case Keys::one_bit: key = from_bits<T>(uint64_t(1) << random() % (8 * sizeof(T))); break;
        case Keys::special: key = special[random() % special.size()]; break;
        case Keys::zipf: {
            const double value = std::exp2(static_cast<double>(random() >> 11) * 0x1p-53 * 20);
            key = std::is_integral_v<T> ? static_cast<T>(static_cast<uint64_t>(value)) : static_cast<T>(value);
            break;
        }
        case Keys::one_byte: {
            const size_t shift = 8 * (n % sizeof(T));
            key = from_bits<T>((common & ~(uint64_t(255) << shift)) | random() % 256 << shift);
            break;
        }
        case Keys::outlier: key = from_bits<T>(&key == &keys.back() ? random() : common); break;
        default: key = from_bits<T>(random());
        }
    }
    if (kind == Keys::sorted || kind == Keys::reversed)
        std::stable_sort(keys.begin(), keys.end(),
                         [&](T a, T b) { return reference::before(a, b, kind == Keys::reversed); });
    return keys;
}

testing::AssertionResult same_values_of_pairs(const std::vector<uint8_t> &expected, const std::vector<uint8_t> &got,
                                              size_t size) {
    return none(
        got.size(), [&](size_t i) { return expected[i] != got[i]; },
        [&](size_t i) {
            return "byte " + std::to_string(i % size) + " of value " + std::to_string(i / size) + ": expected " +
                   text(expected[i]) + ", got " + text(got[i]);
        });
}

template <class T> std::string trace(const std::vector<T> &keys, gp_order order, const char *algorithm) {
    return std::string(gp_dtype_name(dtype<T>())) + ", n = " + std::to_string(keys.size()) +
           (order == GP_DESCENDING ? ", descending, " : ", ascending, ") + name(algorithm);
}

// Whether to run the named algorithms too, or the default alone: each is another program.
template <class T> bool with_named_algorithms() {
    return thorough() || std::is_same_v<T, int16_t> || std::is_same_v<T, int32_t> || std::is_same_v<T, double>;
}

// The most keys to give to a slow algorithm.
size_t most_keys(const char *algorithm) {
    const std::string named = algorithm == nullptr ? "" : algorithm;
    return named == "odd-even" ? 1025 : max_n();
}

// Calls sort(options) for the default algorithm and those named.
template <class T, class Sort> void with_algorithms(const std::vector<T> &keys, gp_order order, const Sort &sort) {
    if (testing::Test::HasFailure()) return;
    for (const char *algorithm : algorithms(GP_SORT, with_named_algorithms<T>())) {
        if (keys.size() > most_keys(algorithm)) continue;
        SCOPED_TRACE(trace(keys, order, algorithm));
        gp_sort_options options = GP_SORT_OPTIONS_INIT;
        options.order = order;
        options.algorithm = algorithm;
        ASSERT_NO_FATAL_FAILURE(sort(options));
    }
}

bool refused(const gp_sort_options &options, gp_status status) {
    return test::refused(GP_SORT, options.algorithm, status);
}

template <class T> void check_keys(const std::vector<T> &keys, gp_order order, const std::vector<size_t> &expected) {
    with_algorithms(keys, order, [&](const gp_sort_options &options) {
        Guarded<T> array(keys);
        const gp_status status = gp_sort(context(), dtype<T>(), keys.size(), array.data(), &options);
        const bool unchanged = refused(options, status);
        ASSERT_OK(unchanged ? GP_SUCCESS : status);
        ASSERT_TRUE(same_bits(unchanged ? keys : permuted(keys, expected), array.values()));
        ASSERT_TRUE(array.intact()) << "a canary was overwritten";
    });
}

template <class T>
void check_pairs(const std::vector<T> &keys, size_t size, gp_order order, const std::vector<size_t> &expected) {
    SCOPED_TRACE("value size " + std::to_string(size));
    const auto values = random_bytes(keys.size() * size);
    with_algorithms(keys, order, [&](const gp_sort_options &options) {
        Guarded<T> array(keys);
        Guarded<uint8_t> moved(values);
        const gp_status status =
            gp_sort_pairs(context(), dtype<T>(), keys.size(), array.data(), size, moved.data(), &options);
        const bool unchanged = refused(options, status);
        ASSERT_OK(unchanged ? GP_SUCCESS : status);
        ASSERT_TRUE(same_bits(unchanged ? keys : permuted(keys, expected), array.values()));
        ASSERT_TRUE(same_values_of_pairs(unchanged ? values : permuted(values, expected, size), moved.values(), size));
        ASSERT_TRUE(array.intact() && moved.intact()) << "a canary was overwritten";
    });
}

template <class Index, class T>
void check_indices(const std::vector<T> &keys, const gp_sort_options &options, const std::vector<size_t> &expected) {
    Guarded<T> array(keys);
    Guarded<Index> indices(keys.size());
    const gp_status status =
        gp_argsort(context(), dtype<T>(), keys.size(), array.data(), dtype<Index>(), indices.data(), &options);
    if (refused(options, status)) {
        EXPECT_TRUE(indices.untouched());
        return;
    }
    ASSERT_OK(status);
    ASSERT_TRUE(same_bits(std::vector<Index>(expected.begin(), expected.end()), indices.values()));
    ASSERT_TRUE(same_bits(keys, array.values())) << "argsort changed the keys";
    ASSERT_TRUE(array.intact() && indices.intact()) << "a canary was overwritten";
}

template <class Index, class T>
void check_argsort(const std::vector<T> &keys, gp_order order, const std::vector<size_t> &expected) {
    SCOPED_TRACE(gp_dtype_name(dtype<Index>()));
    with_algorithms(keys, order,
                    [&](const gp_sort_options &options) { check_indices<Index>(keys, options, expected); });
}

// Keys, pairs and indices by the default algorithm.
template <class T> void check_default(const std::vector<T> &keys, gp_order order, const std::vector<size_t> &expected) {
    SCOPED_TRACE(trace(keys, order, nullptr));
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    options.order = order;
    Guarded<T> alone(keys), paired(keys);
    const auto values = random_bytes(keys.size() * 8);
    Guarded<uint8_t> moved(values);
    Guarded<uint32_t> indices(keys.size());
    ASSERT_OK(gp_sort(context(), dtype<T>(), keys.size(), alone.data(), &options));
    ASSERT_OK(gp_sort_pairs(context(), dtype<T>(), keys.size(), paired.data(), 8, moved.data(), &options));
    ASSERT_OK(gp_argsort(context(), dtype<T>(), keys.size(), keys.data(), GP_UINT32, indices.data(), &options));
    ASSERT_TRUE(same_bits(permuted(keys, expected), alone.values()));
    ASSERT_TRUE(same_bits(permuted(keys, expected), paired.values()));
    ASSERT_TRUE(same_values_of_pairs(permuted(values, expected, 8), moved.values(), 8));
    ASSERT_TRUE(same_bits(std::vector<uint32_t>(expected.begin(), expected.end()), indices.values()));
    ASSERT_TRUE(alone.intact() && paired.intact() && moved.intact() && indices.intact()) << "a canary was overwritten";
}

// Where tiles of work-groups begin and end, and another way of sorting on "host" begins, beside
// those of sizes().
std::vector<size_t> tile_sizes() {
    std::vector<size_t> all;
    for (const size_t tile :
         {40u, 100u, 128u, 257u, 512u, 1024u, 2048u, 4096u, 6144u, 8192u, 16384u, 32768u, 65536u, 131072u})
        for (const size_t n : {tile - 1, tile, tile + 1})
            if (n <= max_n()) all.push_back(n);
    return all;
}

template <class T> class Sort : public testing::Test {};
TYPED_TEST_SUITE(Sort, KeyTypes, TypeNames);

TYPED_TEST(Sort, EveryDistributionAtSmallSizes) {
    std::vector<size_t> small = sizes();
    std::erase_if(small, [](size_t n) { return n > 5000; });
    for (const auto &row : combinations_of({small.size(), std::size(kKeys), std::size(kOrders)})) {
        const Keys kind = kKeys[row[1]];
        const gp_order order = kOrders[row[2]];
        SCOPED_TRACE(kKeysNames[row[1]]);
        const auto keys = keys_of<TypeParam>(kind, small[row[0]]);
        check_keys(keys, order, reference::order(keys, order == GP_DESCENDING));
    }
}

// On "host" networks sort few keys, one for each number of vectors; beyond, ranges are split until
// they are few.
TYPED_TEST(Sort, EverySizeOnTheHost) {
    if (!on_host()) GTEST_SKIP() << "networks are the host's";
    size_t turn = 0;
    for (size_t n = 0; n <= std::min<size_t>(max_n(), 640); ++n) {
        const Keys kind = kKeys[turn++ % std::size(kKeys)];
        const gp_order order = kOrders[turn / std::size(kKeys) % 2];
        SCOPED_TRACE(kKeysNames[static_cast<size_t>(kind)]);
        const auto keys = keys_of<TypeParam>(kind, n), random = keys_of<TypeParam>(Keys::random, n);
        check_default(keys, order, reference::order(keys, order == GP_DESCENDING));
        check_default(random, order, reference::order(random, order == GP_DESCENDING));
    }
}

TYPED_TEST(Sort, TileSizes) {
    size_t turn = 0;
    for (const size_t n : tile_sizes())
        for (const gp_order order : kOrders) {
            const Keys kind = kKeys[turn++ % std::size(kKeys)];
            if (!thorough() && turn % 4 > 1) continue; // one order for a size, the other for the next
            SCOPED_TRACE(kKeysNames[static_cast<size_t>(kind)]);
            const auto keys = keys_of<TypeParam>(kind, n);
            check_keys(keys, order, reference::order(keys, order == GP_DESCENDING));
        }
}

// More than one core sorts, where there are several.
TYPED_TEST(Sort, EveryDistributionOfMany) {
    const size_t n = std::min<size_t>(max_n(), 200003);
    for (const Keys kind : kKeys)
        for (const gp_order order : kOrders) {
            SCOPED_TRACE(kKeysNames[static_cast<size_t>(kind)]);
            const auto keys = keys_of<TypeParam>(kind, n);
            const auto expected = reference::order(keys, order == GP_DESCENDING);
            check_default(keys, order, expected);
        }
}

// Keys that differ in few bits, high or low ones or both, beside one that is far away; and no
// number at all.
TYPED_TEST(Sort, NearKeysAndNoNumbers) {
    constexpr unsigned kBits = 8 * sizeof(TypeParam);
    for (const size_t n : {41u, 1009u, 20011u, 200003u, 600011u}) {
        if (n > max_n() || (n > 500000 && sizeof(TypeParam) < 4)) break;
        std::mt19937_64 random(n);
        for (const unsigned low : {1u, 6u, 7u}) {
            std::vector<TypeParam> keys(n);
            for (TypeParam &key : keys)
                key = from_bits<TypeParam>((random() % 2) << (kBits - 3) | random() % (uint64_t{1} << low));
            keys[n / 2] = from_bits<TypeParam>(uint64_t{1} << (kBits - 2));
            for (const gp_order order : kOrders)
                check_default(keys, order, reference::order(keys, order == GP_DESCENDING));
        }
        if constexpr (std::numeric_limits<TypeParam>::has_quiet_NaN) {
            std::vector<TypeParam> keys(n, std::numeric_limits<TypeParam>::quiet_NaN());
            keys[n / 3] = -keys[n / 3];
            check_default(keys, GP_ASCENDING, reference::order(keys, false));
            keys[n / 2] = 1;
            keys[n - 1] = std::numeric_limits<TypeParam>::infinity();
            for (const gp_order order : kOrders)
                check_default(keys, order, reference::order(keys, order == GP_DESCENDING));
        }
    }
}

// A few keys anywhere, the others close to so many centres: bins with many keys, few of them and
// more.
TYPED_TEST(Sort, Clusters) {
    constexpr unsigned kBits = 8 * sizeof(TypeParam);
    for (const size_t n : {100u, 1009u, 4096u})
        for (const unsigned centres : {1u, 3u, 20u}) {
            if (n > max_n()) break;
            std::mt19937_64 random(n + centres);
            std::vector<TypeParam> keys(n);
            for (TypeParam &key : keys) {
                const uint64_t any = random(), near = (any % centres + 1) * 0x9e3779b97f4a7c15 >> (64 - kBits);
                key = from_bits<TypeParam>(random() % 8 == 0 ? any : near + random() % (centres == 3 ? 4096 : 60));
            }
            const gp_order order = kOrders[centres % 2];
            const auto expected = reference::order(keys, order == GP_DESCENDING);
            check_keys(keys, order, expected);
            check_pairs(keys, 4, order, expected);
        }
}

// Numbers of like size and both signs, whose bins are cut by what they are, not by their codes.
TYPED_TEST(Sort, WholeNumbersOfBothSigns) {
    for (const size_t n : {3u, 5u, 9u, 11u, 39u}) {
        if (n > max_n()) break;
        std::mt19937_64 random(n);
        std::vector<TypeParam> keys(n);
        for (TypeParam &key : keys) key = static_cast<TypeParam>(static_cast<int64_t>(random() % 20001) - 10000);
        check_keys(keys, GP_ASCENDING, reference::order(keys, false));
        check_argsort<uint32_t>(keys, GP_DESCENDING, reference::order(keys, true));
        // Of float32, algorithms are named by GPCL_TEST_THOROUGH alone.
        gp_sort_options options = GP_SORT_OPTIONS_INIT;
        options.algorithm = "local-bins";
        for (const gp_order order : kOrders) {
            options.order = order;
            SCOPED_TRACE(trace(keys, order, options.algorithm));
            const auto expected = reference::order(keys, order == GP_DESCENDING);
            ASSERT_NO_FATAL_FAILURE(check_indices<uint32_t>(keys, options, expected));
        }
    }
}

// Zeros keep their order and their signs, also where other threads look at them.
TYPED_TEST(Sort, ZerosFarApart) {
    if constexpr (std::numeric_limits<TypeParam>::has_quiet_NaN) {
        for (const size_t n : {47u, 1009u, 40011u, 200003u}) {
            if (n > max_n()) break;
            for (const TypeParam first : {TypeParam(0), -TypeParam(0)}) {
                auto keys = keys_of<TypeParam>(Keys::sorted, n);
                for (TypeParam &key : keys)
                    if (key != key || key == 0) key = 1;
                keys[5] = first;
                keys[n - 3] = -first;
                for (const gp_order order : kOrders)
                    check_default(keys, order, reference::order(keys, order == GP_DESCENDING));
            }
        }
    }
}

// Random floats without NaN and zeros.
template <class T> std::vector<T> numbers_alone(size_t n) {
    auto keys = keys_of<T>(Keys::random, n);
    for (size_t i = 0; i < n; ++i) {
        const T infinity = std::numeric_limits<T>::infinity();
        if (keys[i] != keys[i]) keys[i] = i % 2 != 0 ? infinity : -infinity;
        if (keys[i] == 0) keys[i] = 1;
    }
    return keys;
}

// Floats that "host" sorts as they are: without NaN, and zeros have one sign.
TYPED_TEST(Sort, FloatsAlone) {
    using T = TypeParam;
    if constexpr (std::numeric_limits<T>::has_quiet_NaN) {
        const auto check = [](const std::vector<T> &keys) {
            for (const gp_order order : kOrders)
                check_default(keys, order, reference::order(keys, order == GP_DESCENDING));
        };
        for (size_t n = 1; n <= std::min<size_t>(max_n(), 640) && on_host(); n += n < 40 ? 1 : 13)
            check(numbers_alone<T>(n));
        for (const size_t n : {100u, 1000u, 5000u, 20000u, 300000u}) {
            if (n > max_n()) break;
            check(numbers_alone<T>(n));
            for (const T zero : {T(0), -T(0)}) { // a pivot is the least number above, another one the zero
                std::vector<T> keys(n, std::numeric_limits<T>::denorm_min());
                for (size_t i = 0; i < n; i += 3) keys[i] = zero;
                check(keys);
            }
        }
    }
}

#if defined(__x86_64__)
// A thread that traps invalid operations and underflows sorts signaling NaN and subnormal numbers.
TYPED_TEST(Sort, NothingTraps) {
    using T = TypeParam;
    if constexpr (std::numeric_limits<T>::has_quiet_NaN) {
        if (!on_host()) GTEST_SKIP() << "drivers compute as they like";
        constexpr unsigned kInvalid = 0x80, kUnderflow = 0x800;
        const T denormal = std::numeric_limits<T>::denorm_min(), signaling = std::numeric_limits<T>::signaling_NaN();
        for (const T odd : {denormal, signaling}) {
            std::vector<T> keys(1000, odd);
            for (size_t i = 0; i < keys.size(); i += 2) keys[i] = odd == denormal ? -T(0) : T(0);
            const auto expected = permuted(keys, reference::order(keys, false));
            const unsigned before = _mm_getcsr();
            _mm_setcsr(before & ~(kInvalid | kUnderflow));
            const gp_status status = gp_sort(context(), dtype<T>(), keys.size(), keys.data(), nullptr);
            _mm_setcsr(before);
            ASSERT_OK(status);
            ASSERT_TRUE(same_bits(expected, keys));
        }
    }
}

// A thread that takes subnormal numbers for 0 sorts them all the same.
TYPED_TEST(Sort, SubnormalTakenForZero) {
    using T = TypeParam;
    if constexpr (std::numeric_limits<T>::has_quiet_NaN) {
        if (!on_host()) GTEST_SKIP() << "drivers compute as they like";
        constexpr size_t n = 1000;
        const uint64_t sign = uint64_t{1} << (sizeof(T) * 8 - 1);
        std::vector<T> keys(n);
        for (size_t i = 0; i < n; ++i) keys[i] = from_bits<T>((1 + i * 7919 % 4001) | (i % 3 == 0 ? sign : 0));
        const auto expected = permuted(keys, reference::order(keys, false));
        const unsigned before = _mm_getcsr();
        _mm_setcsr(before | 0x40);
        const gp_status status = gp_sort(context(), dtype<T>(), n, keys.data(), nullptr);
        _mm_setcsr(before);
        ASSERT_OK(status);
        ASSERT_TRUE(same_bits(expected, keys));
    }
}
#endif

// Numbers that differ by less than an epsilon of theirs from what most are.
TYPED_TEST(Sort, SmallNumbersAmongZeros) {
    if constexpr (std::numeric_limits<TypeParam>::has_quiet_NaN) {
        std::mt19937_64 random(5);
        for (const size_t n : {100u, 1000u, 4000u, 20000u}) {
            if (n > max_n()) break;
            for (const double scale : {1e-5, 1e-15, 1e-30, 1.0}) {
                std::vector<TypeParam> keys(n);
                for (TypeParam &key : keys)
                    if (random() % 10 == 0)
                        key = static_cast<TypeParam>(scale * (1 + static_cast<double>(random() % 1000) / 1000));
                for (const gp_order order : kOrders)
                    check_default(keys, order, reference::order(keys, order == GP_DESCENDING));
            }
        }
    }
}

TYPED_TEST(Sort, LargeSizes) {
    size_t turn = dtype<TypeParam>(); // another distribution for each type
    for (const size_t n : sizes()) {
        if (n <= 5000) continue;
        const gp_order order = kOrders[turn % 2];
        const Keys kind = kKeys[turn++ % std::size(kKeys)];
        SCOPED_TRACE(kKeysNames[static_cast<size_t>(kind)]);
        const auto keys = keys_of<TypeParam>(kind, n);
        check_keys(keys, order, reference::order(keys, order == GP_DESCENDING));
    }
}

TYPED_TEST(Sort, PairsAreStable) {
    constexpr size_t kSize = 8 * sizeof(TypeParam) % 12; // 8, 4, 8, 4: word-sized values for every key type
    for (const size_t n : sizes()) {
        if (n > 70000) break;
        for (const Keys kind : {Keys::few_distinct, Keys::special})
            for (const gp_order order : kOrders) {
                SCOPED_TRACE(kKeysNames[static_cast<size_t>(kind)]);
                const auto keys = keys_of<TypeParam>(kind, n);
                check_pairs(keys, kSize, order, reference::order(keys, order == GP_DESCENDING));
            }
    }
}

TYPED_TEST(Sort, Argsort) {
    for (const size_t n : sizes()) {
        if (n > 70000) break;
        for (const Keys kind : {Keys::random, Keys::few_distinct, Keys::special}) {
            SCOPED_TRACE(kKeysNames[static_cast<size_t>(kind)]);
            const auto keys = keys_of<TypeParam>(kind, n);
            check_argsort<uint32_t>(keys, GP_ASCENDING, reference::order(keys, false));
            check_argsort<uint64_t>(keys, GP_DESCENDING, reference::order(keys, true));
        }
    }
}

// Sizes about those from which on keys are placed by digits, and those whose places take 16 bits.
TYPED_TEST(Sort, PlacesOfShortKeys) {
    if (sizeof(TypeParam) > 2) return;
    for (const size_t n : {41u, 100u, 300u, 499u, 701u, 65535u, 65536u, 65537u, 100003u}) {
        if (n > max_n()) break;
        const auto keys = keys_of<TypeParam>(n % 2 != 0 ? Keys::random : Keys::few_distinct, n);
        for (const gp_order order : kOrders) {
            const auto expected = reference::order(keys, order == GP_DESCENDING);
            check_argsort<uint64_t>(keys, order, expected);
            for (const size_t size : {1u, 4u, 5u}) check_pairs(keys, size, order, expected);
        }
    }
}

// Many values of the leading byte, few keys behind each: bins of keys that are nearly alike.
TYPED_TEST(Sort, FewDistinctBehindTheLeadingByte) {
    const size_t n = std::min<size_t>(max_n(), 60000);
    std::mt19937_64 random(n);
    std::vector<TypeParam> keys(n);
    for (auto &key : keys) {
        const uint64_t leading = random() % 256, rest = random() % 3 * 16 + random() % 2;
        key = from_bits<TypeParam>(leading << (8 * sizeof(TypeParam) - 8) | rest);
    }
    for (const gp_order order : kOrders) {
        const auto expected = reference::order(keys, order == GP_DESCENDING);
        check_keys(keys, order, expected);
        check_pairs(keys, 4, order, expected);
        check_argsort<uint32_t>(keys, order, expected);
    }
}

// Keys whose leading digits do not suit "split", so that it works by pieces of the key space, as
// "split-once" always does.
template <class T> void check_split(const std::vector<T> &keys, gp_order order) {
    const auto expected = permuted(keys, reference::order(keys, order == GP_DESCENDING));
    for (const char *name : {"split", "split-once"}) {
        SCOPED_TRACE(name);
        gp_sort_options options = GP_SORT_OPTIONS_INIT;
        options.algorithm = name;
        options.order = order;
        Guarded<T> array(keys);
        const gp_status status = gp_sort(context(), dtype<T>(), keys.size(), array.data(), &options);
        if (refused(options, status)) GTEST_SKIP() << gp_error_message();
        ASSERT_OK(status);
        ASSERT_TRUE(same_bits(expected, array.values()));
        ASSERT_TRUE(array.intact()) << "a canary was overwritten";
    }
}

// Values that fill pieces alone, spots so dense that their bins are left over (few, and most keys),
// keys far outside, few digits that vary.
template <class T> void check_uneven_keys(bool high) {
    const size_t n = std::min<size_t>(max_n(), size_t(1) << (spares_programs() ? 16 : 18));
    constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max(), kFar = uint64_t(1) << 40;
    const auto spot = [](uint64_t which) { return which * 0x9e3779b97f4a7c15; };
    const std::function<uint64_t(uint64_t, size_t)> shapes[] = {
        [](uint64_t r, size_t i) { return i == 5 ? kMost : r >> 1; },
        [](uint64_t r, size_t i) { return i % 50000 == 7 ? r : r % (1u << 28) + 123456789; },
        [](uint64_t, size_t i) { return i == 5 ? kMost : uint64_t(1); },
        [](uint64_t, size_t i) { return i == 5 ? 0 : kMost; },
        [&](uint64_t r, size_t i) { return i % 3 == 0 ? r : spot(r % 7); },
        [&](uint64_t r, size_t i) { return i % 10 != 0 ? r : spot(r % 42) + (r >> 48); },
        [&](uint64_t r, size_t) { return spot(r % 400) + (r >> 48); },
        [&](uint64_t r, size_t) { return spot(r % 90); },
        [](uint64_t r, size_t) { return r % 8 != 0 ? r >> 52 : r; },
        [](uint64_t r, size_t) { return uint64_t(1) << r % 64; },
        [](uint64_t r, size_t) { return r % 1000; },
        [](uint64_t, size_t) { return uint64_t(42); },
        [&](uint64_t r, size_t i) { return i % 20011 == 7 ? r % kFar : kFar + (i % 2 == 0 ? r >> 1 : r % 200); },
    };
    for (size_t shape = 0; shape < std::size(shapes); ++shape) {
        SCOPED_TRACE("shape " + std::to_string(shape));
        std::mt19937_64 random(shape);
        std::vector<T> keys(n);
        for (size_t i = 0; i < n; ++i)
            keys[i] = static_cast<T>(shapes[shape](random(), i) >> (high ? 64 - 8 * sizeof(T) : 0));
        check_split(keys, kOrders[shape % 2]);
        if (testing::Test::IsSkipped() || testing::Test::HasFatalFailure()) return;
    }
}

TEST(SortPieces, UnevenKeys) { check_uneven_keys<uint64_t>(true); }
TEST(SortPieces, UnevenShortKeys) { check_uneven_keys<uint32_t>(true); }
TEST(SortPieces, UnevenLowDigits) { check_uneven_keys<int32_t>(false); }

// Numbers; zeros of one sign and of both, one NaN and several, few and many of them.
template <class T> void check_uneven_numbers() {
    const size_t n = std::min<size_t>(max_n(), size_t(1) << (spares_programs() ? 15 : 16));
    const T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
    const std::vector<T> special = special_values<T>();
    using Random = std::mt19937_64;
    const auto part = [](Random &random) { return static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-53); };
    const auto normal = [](Random &random) { return static_cast<T>(std::normal_distribution<double>()(random)); };
    const std::function<T(Random &, size_t)> shapes[] = {
        [&](Random &random, size_t) { return part(random); },
        [&](Random &random, size_t) { return 2 * part(random) - 1; },
        [&](Random &random, size_t) { return normal(random); },
        [&](Random &random, size_t) { return std::exp(10 * normal(random)); },
        [&](Random &random, size_t i) { return i % 3 == 0 ? -T(0) : normal(random); },
        [&](Random &random, size_t i) { return i % 3000 == 7 ? -T(0) : normal(random); },
        [&](Random &random, size_t i) { return i % 3 == 0 ? T(0) : normal(random); },
        [&](Random &random, size_t i) { return i % 1000 == 0 ? (i % 7 == 0 ? T(0) : -T(0)) : normal(random); },
        [&](Random &random, size_t i) { return i % 5 == 0 ? nan : normal(random); },
        [&](Random &random, size_t i) { return i % 5000 == 1 ? -nan : normal(random); },
        [&](Random &random, size_t i) { return i % 5000 == 1 ? (i % 2 == 0 ? nan : -nan) : normal(random); },
        [&](Random &random, size_t i) { return i % 9 < 2 ? (i % 2 == 0 ? infinity : -infinity) : part(random); },
        [&](Random &random, size_t i) { return i % 40 == 1 ? special[random() % special.size()] : part(random); },
        [&](Random &random, size_t) { return static_cast<T>(random() % 100) / 8; },
        [&](Random &, size_t i) { return i % 2 == 0 ? T(0) : -T(0); },
        [&](Random &, size_t) { return nan; },
        [&](Random &, size_t) { return T(7); },
        [&](Random &random, size_t i) { return i == 5         ? nan
                                               : i % 100 == 3 ? -infinity
                                                              : 1000 + part(random); },
    };
    for (size_t shape = 0; shape < std::size(shapes); ++shape)
        for (const gp_order order : kOrders) {
            if (spares_programs() && order != kOrders[shape % 2]) continue;
            SCOPED_TRACE("shape " + std::to_string(shape) + ", order " + std::to_string(order));
            Random random(shape);
            std::vector<T> keys(n);
            for (size_t i = 0; i < n; ++i) keys[i] = shapes[shape](random, i);
            check_split(keys, order);
            if (testing::Test::IsSkipped() || testing::Test::HasFatalFailure()) return;
        }
}

TEST(SortPieces, Floats) { check_uneven_numbers<float>(); }
TEST(SortPieces, Doubles) { check_uneven_numbers<double>(); }

TYPED_TEST(Sort, BuffersAtOddOffsets) {
    size_t offset = 1;
    for (const size_t n : {size_t(2), size_t(33), size_t(1009), size_t(10007)}) {
        if (n > max_n()) continue;
        for (const gp_order order : kOrders) {
            SCOPED_TRACE(trace(std::vector<TypeParam>(n), order, nullptr) + ", offset " + std::to_string(offset));
            gp_sort_options options = GP_SORT_OPTIONS_INIT;
            options.order = order;
            const auto keys = keys_of<TypeParam>(n % 2 == 0 ? Keys::special : Keys::random, n);
            const auto expected = reference::order(keys, order == GP_DESCENDING);
            std::vector<uint64_t> values(n);
            for (size_t i = 0; i < n; ++i) values[i] = i * 0x9e3779b97f4a7c15;

            DeviceArray<TypeParam> array(keys, offset), paired(keys, offset + 2);
            DeviceArray<uint64_t> moved(values, offset);
            DeviceArray<uint32_t> indices(std::vector<uint32_t>(n), offset + 2);
            const gp_dtype type = dtype<TypeParam>();
            gp_event *first = nullptr, *second = nullptr;
            // argsort reads the keys before the sort, which waits for it, changes them.
            ASSERT_OK(gp_enqueue_argsort(context(), type, n, array.buffer(), array.offset(), GP_UINT32,
                                         indices.buffer(), indices.offset(), &options, 0, nullptr, &first));
            ASSERT_OK(
                gp_enqueue_sort(context(), type, n, array.buffer(), array.offset(), &options, 1, &first, &second));
            ASSERT_OK(gp_enqueue_sort_pairs(context(), type, n, paired.buffer(), paired.offset(), sizeof(uint64_t),
                                            moved.buffer(), moved.offset(), &options, 1, &second, nullptr));
            ASSERT_OK(gp_finish(context()));
            ASSERT_OK(gp_event_free(first));
            ASSERT_OK(gp_event_free(second));
            ASSERT_TRUE(same_bits(std::vector<uint32_t>(expected.begin(), expected.end()), indices.values()));
            ASSERT_TRUE(same_bits(permuted(keys, expected), array.values()));
            ASSERT_TRUE(same_bits(permuted(keys, expected), paired.values()));
            ASSERT_TRUE(same_bits(permuted(values, expected), moved.values()));
            offset += 2;
        }
    }
}

TYPED_TEST(Sort, NamedAlgorithmsAtOddOffsets) {
    for (const char *algorithm : algorithms(GP_SORT, with_named_algorithms<TypeParam>()))
        for (const size_t n : {size_t(64), size_t(97), size_t(1009)}) {
            if (n > std::min(max_n(), most_keys(algorithm))) continue;
            const auto keys = keys_of<TypeParam>(Keys::random, n);
            SCOPED_TRACE(trace(keys, GP_DESCENDING, algorithm));
            gp_sort_options options = GP_SORT_OPTIONS_INIT;
            options.order = GP_DESCENDING;
            options.algorithm = algorithm;
            DeviceArray<TypeParam> array(keys, n % 8 + 1);
            const gp_status status = gp_enqueue_sort(context(), dtype<TypeParam>(), n, array.buffer(), array.offset(),
                                                     &options, 0, nullptr, nullptr);
            const bool unchanged = refused(options, status);
            ASSERT_OK(unchanged ? GP_SUCCESS : status);
            ASSERT_OK(gp_finish(context()));
            ASSERT_TRUE(same_bits(unchanged ? keys : permuted(keys, reference::order(keys, true)), array.values()));
        }
}

// Steps of the ladder: what they refuse, and that they say why.
TEST(SortLadder, ARefusalSaysWhy) {
    std::vector<float> floats = {2, 1};
    std::vector<uint32_t> integers = {2, 1}, values = {0, 1};
    const auto expect = [](gp_status status, const std::string &reason) {
        EXPECT_EQ(GP_ERROR_ALGORITHM_REFUSED, status);
        const std::string message = gp_error_message();
        EXPECT_NE(std::string::npos, message.find(reason)) << message;
    };
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    const char *const keys_alone = "it sorts keys alone";
    const std::vector<const char *> stable = {"odd-even", "radix-registers", "radix-local", "radix-local-vectors"};
    const std::vector<const char *> stable_on_host = {"host-radix16"};
    for (const char *name : on_host() ? stable_on_host : stable) {
        SCOPED_TRACE(name);
        options.algorithm = name;
        expect(gp_sort_pairs(context(), GP_UINT32, 2, integers.data(), 4, values.data(), &options), keys_alone);
        expect(gp_argsort(context(), GP_UINT32, 2, integers.data(), GP_UINT32, values.data(), &options), keys_alone);
    }
    const std::vector<const char *> unstable = {"bitonic", "bitonic-fused"};
    const std::vector<const char *> unstable_on_host = {"host-qsort", "host-std-sort"};
    for (const char *name : on_host() ? unstable_on_host : unstable) {
        SCOPED_TRACE(name);
        options.algorithm = name;
        expect(gp_sort_pairs(context(), GP_UINT32, 2, integers.data(), 4, values.data(), &options), keys_alone);
        expect(gp_argsort(context(), GP_UINT32, 2, integers.data(), GP_UINT32, values.data(), &options), keys_alone);
        expect(gp_sort(context(), GP_FLOAT32, 2, floats.data(), &options), "not stable");
    }
    EXPECT_EQ((std::vector<float>{2, 1}), floats);
    EXPECT_EQ((std::vector<uint32_t>{2, 1}), integers);
    EXPECT_EQ((std::vector<uint32_t>{0, 1}), values);
    if (on_host()) return;
    options.algorithm = "odd-even";
    std::vector<uint8_t> many(32769);
    expect(gp_sort(context(), GP_UINT8, many.size(), many.data(), &options), "up to 32768 keys; n is 32769");
}

// Every size of value with one type of key, and in both index types.
TEST(SortPairs, EveryValueSize) {
    for (const size_t size : kValueSizes)
        for (const size_t n : {size_t(0), size_t(1), size_t(33), size_t(257), size_t(4097), size_t(65537)}) {
            if (n > max_n()) continue;
            const gp_order order = kOrders[(size + n) % 2];
            const auto keys = keys_of<uint32_t>(n % 3 == 0 ? Keys::few_distinct : Keys::random, n);
            check_pairs(keys, size, order, reference::order(keys, order == GP_DESCENDING));
        }
}

// Every type of key with values that no word divides, at the largest size.
TYPED_TEST(Sort, OddValues) {
    constexpr size_t kSize = sizeof(TypeParam) == 1 ? 7 : sizeof(TypeParam) == 2 ? 5 : sizeof(TypeParam) == 4 ? 3 : 33;
    for (const size_t n : {size_t(129), size_t(10007)}) {
        if (n > max_n()) continue;
        const auto keys = keys_of<TypeParam>(Keys::special, n);
        check_pairs(keys, kSize, GP_DESCENDING, reference::order(keys, true));
    }
}

TEST(Argsort, LargeWithBothIndexTypes) {
    const size_t n = std::min<size_t>(max_n(), 1000003);
    const auto keys = keys_of<float>(Keys::random, n);
    const auto expected = reference::order(keys, false);
    check_argsort<uint32_t>(keys, GP_ASCENDING, expected);
    check_argsort<uint64_t>(keys, GP_ASCENDING, expected);
}

// Keys of 64 bits, some of which differ in their lowest bits alone: few of them beside each other,
// many of them, and nearly all.
template <class T> void check_keys_with_equal_upper_bits() {
    for (const size_t n : {5000u, 40011u, 200003u}) {
        if (n > max_n()) break;
        for (const size_t every : {1000u, 12u, 1u}) { // in one place, of how many keys one
            std::mt19937_64 random(n + every);
            std::vector<T> keys(n);
            for (T &key : keys) {
                const uint64_t any = random() >> 2, centre = uint64_t{1} << 61;
                key = from_bits<T>(random() % every == 0 && any % 16 != 0 ? centre + any % 1024 : any);
            }
            for (const gp_order order : kOrders)
                check_default(keys, order, reference::order(keys, order == GP_DESCENDING));
        }
    }
}
TEST(Argsort, IntegersWithEqualUpperBits) { check_keys_with_equal_upper_bits<uint64_t>(); }
TEST(Argsort, FloatsWithEqualUpperBits) { check_keys_with_equal_upper_bits<double>(); }

// Of the types that name their algorithms, one, since values and indices take other programs.
template <class T> bool with_every_program() { return thorough() || std::is_same_v<T, int32_t>; }

// Every place that a range of bits can have in the keys: within a digit, across digits, more than
// one, all but one bit.
TYPED_TEST(Sort, BitRanges) {
    constexpr unsigned kBits = 8 * sizeof(TypeParam);
    const std::pair<unsigned, unsigned> ranges[] = {
        {0, kBits}, {0, 3},         {kBits - 3, kBits}, {1, kBits},
        {3, 6},     {0, kBits - 1}, {kBits / 2, 0},     {kBits / 4, kBits - 1}};
    const std::vector<size_t> all_sizes = {size_t(33), size_t(1009), size_t(10007)};
    size_t turn = 0;
    for (const auto &range : ranges)
        for (const size_t n : all_sizes) {
            if (n > max_n()) continue;
            const auto begin = range.first, end = range.second; // which a lambda may capture
            const gp_order order = kOrders[turn++ % 2];
            SCOPED_TRACE("bits " + std::to_string(begin) + " to " + std::to_string(end));
            const auto keys = keys_of<TypeParam>(turn % 3 == 0 ? Keys::special : Keys::random, n);
            const auto expected = reference::order(keys, order == GP_DESCENDING, begin, end == 0 ? kBits : end);
            std::vector<uint32_t> values(n);
            std::iota(values.begin(), values.end(), 7u);
            with_algorithms(keys, order, [&](gp_sort_options options) {
                options.begin_bit = begin;
                options.end_bit = end;
                Guarded<TypeParam> alone(keys), paired(keys);
                Guarded<uint32_t> moved(values), indices(n);
                const gp_dtype type = dtype<TypeParam>();
                const gp_status status = gp_sort(context(), type, n, alone.data(), &options);
                if (refused(options, status)) return;
                ASSERT_OK(status);
                ASSERT_TRUE(same_bits(permuted(keys, expected), alone.values()));
                if (!with_every_program<TypeParam>()) return;
                const gp_status of_pairs = gp_sort_pairs(context(), type, n, paired.data(), 4, moved.data(), &options);
                if (refused(options, of_pairs)) return; // a step of the ladder, with the whole key
                ASSERT_OK(of_pairs);
                ASSERT_TRUE(same_bits(permuted(keys, expected), paired.values()));
                ASSERT_TRUE(same_bits(permuted(values, expected), moved.values()));
                ASSERT_OK(gp_argsort(context(), type, n, keys.data(), GP_UINT32, indices.data(), &options));
                ASSERT_TRUE(same_bits(std::vector<uint32_t>(expected.begin(), expected.end()), indices.values()));
            });
        }
}

TEST(SortOptions, BitRangesThatAreNone) {
    std::vector<uint16_t> keys = {2, 1};
    const std::pair<uint32_t, uint32_t> wrong[] = {{16, 0}, {3, 3}, {4, 3}, {0, 17}, {1, 0xffffffff}, {0xffffffff, 0}};
    for (const auto &[begin, end] : wrong) {
        gp_sort_options options = GP_SORT_OPTIONS_INIT;
        options.begin_bit = begin;
        options.end_bit = end;
        EXPECT_EQ(GP_ERROR_OPTION, gp_sort(context(), GP_UINT16, 2, keys.data(), &options)) << begin << " " << end;
        EXPECT_EQ((std::vector<uint16_t>{2, 1}), keys);
    }
}

// ---- Work space ---------------------------------------------------------------------------------

// What a sort of buffers is asked for: values or indices or neither, and the bytes that
// gp_sort_work_bytes gives.
struct Working {
    size_t value_size;
    gp_dtype index;
};
constexpr Working kWorkings[] = {{0, 0}, {1, 0},  {2, 0},  {4, 0},         {8, 0},        {16, 0},
                                 {3, 0}, {33, 0}, {64, 0}, {0, GP_UINT32}, {0, GP_UINT64}};

// Sorts with work space of the caller's: exactly as much as is said, at an odd place, with canaries
// on both sides.
TYPED_TEST(Sort, WorkSpaceOfTheCaller) {
    const gp_dtype type = dtype<TypeParam>();
    for (const size_t n : {size_t(0), size_t(33), size_t(5003), size_t(70001)}) {
        if (n > max_n()) continue;
        for (const auto &[value_size, index] : kWorkings) {
            if (value_size + index != 0 && !with_every_program<TypeParam>()) continue;
            SCOPED_TRACE("values of " + std::to_string(value_size) + " bytes, indices " + gp_dtype_name(index));
            const auto keys = keys_of<TypeParam>(n % 2 == 0 ? Keys::special : Keys::few_distinct, n);
            const auto expected = reference::order(keys, false);
            with_algorithms(
                keys, GP_ASCENDING, [&, value = value_size, type_of_index = index](gp_sort_options options) {
                    size_t bytes = 0;
                    const gp_status asked =
                        gp_sort_work_bytes(context(), type, n, value, type_of_index, &options, &bytes);
                    if (refused(options, asked)) return;
                    ASSERT_OK(asked);
                    const auto values = random_bytes(n * value);
                    DeviceArray<TypeParam> array(keys, 1);
                    DeviceArray<uint8_t> moved(values, value), work(std::vector<uint8_t>(bytes), 61);
                    const size_t index_size = type_of_index != 0 ? gp_dtype_size(type_of_index) : 1;
                    DeviceArray<uint8_t> indices(std::vector<uint8_t>(type_of_index != 0 ? n * index_size : 0),
                                                 index_size);
                    options.work = work.buffer();
                    const auto sort = [&] {
                        if (type_of_index != 0)
                            return gp_enqueue_argsort(context(), type, n, array.buffer(), 1, type_of_index,
                                                      indices.buffer(), 1, &options, 0, nullptr, nullptr);
                        if (value != 0)
                            return gp_enqueue_sort_pairs(context(), type, n, array.buffer(), 1, value, moved.buffer(),
                                                         1, &options, 0, nullptr, nullptr);
                        return gp_enqueue_sort(context(), type, n, array.buffer(), 1, &options, 0, nullptr, nullptr);
                    };
                    if (bytes > 0) { // too little is refused, and nothing is written
                        options.work_offset = work.offset() + 1 + 61;
                        ASSERT_EQ(GP_ERROR_OUT_OF_BOUNDS, sort()) << gp_error_message();
                        ASSERT_TRUE(same_bits(keys, array.values()));
                    }
                    options.work_offset = work.offset();
                    ASSERT_OK(sort());
                    ASSERT_OK(gp_finish(context()));
                    work.values(); // looks after the canaries
                    if (type_of_index != 0) {
                        ASSERT_TRUE(same_bits(keys, array.values())) << "argsort changed the keys";
                        const auto found = indices.values();
                        for (size_t i = 0; i < n; ++i) {
                            uint64_t at = 0;
                            std::memcpy(&at, &found[i * index_size], index_size);
                            ASSERT_EQ(expected[i], at) << "index " << i;
                        }
                        return;
                    }
                    ASSERT_TRUE(same_bits(permuted(keys, expected), array.values()));
                    ASSERT_TRUE(same_values_of_pairs(permuted(values, expected, value), moved.values(), value));
                });
        }
    }
}

// What the header promises, for sizes too large to try.
TEST(SortWorkSpace, Bounds) {
    for (const gp_dtype type : {GP_UINT8, GP_INT16, GP_FLOAT32, GP_UINT64})
        for (const size_t n : {size_t(0), size_t(1), size_t(5000), size_t(1) << 20, (size_t(1) << 31) + 7})
            for (const auto &[value_size, index] : kWorkings) {
                size_t bytes = 1;
                ASSERT_OK(gp_sort_work_bytes(context(), type, n, value_size, index, nullptr, &bytes));
                const size_t key = gp_dtype_size(type);
                const bool travel = value_size == 0 || (std::has_single_bit(value_size) && value_size <= 16);
                const bool by_counts = key == 1 && value_size == 0;
                const bool merges = n >= size_t(1) << 31; // its indices are the caller's
                const size_t most = n * (index != 0 ? 2 * key + (merges ? gp_dtype_size(index) : 4)
                                         : travel   ? key + value_size
                                                    : key + 4 + std::max(value_size, size_t(4)));
                EXPECT_LE(bytes, most + std::max(most / 100, size_t(3) << 20)) << gp_dtype_name(type) << ", n = " << n;
                if (on_host() || n == 0) {
                    EXPECT_EQ(0u, bytes);
                }
                if (!on_host() && n > 5000 && index == 0 && !by_counts) {
                    EXPECT_LE(n * (key + (travel || merges ? value_size : 4)), bytes);
                }
            }
}

TEST(SortArguments, BitsOutsideTheKeys) {
    std::vector<int16_t> keys = {2, 1};
    const auto refuses = [&](uint32_t begin, uint32_t end) {
        gp_sort_options options = GP_SORT_OPTIONS_INIT;
        options.begin_bit = begin;
        options.end_bit = end;
        EXPECT_EQ(GP_ERROR_OPTION, gp_sort(context(), GP_INT16, 2, keys.data(), &options));
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), "expected a range of the keys' 16 bits"))
            << gp_error_message();
        EXPECT_EQ((std::vector<int16_t>{2, 1}), keys);
    };
    refuses(0, 17);
    refuses(16, 0);
    refuses(5, 5);
    refuses(6, 5);
}

TEST(SortWorkSpace, WrongArguments) {
    size_t bytes = 0;
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_sort_work_bytes(context(), GP_INT32, 1, 0, 0, nullptr, nullptr));
    EXPECT_EQ(GP_ERROR_DTYPE, gp_sort_work_bytes(context(), GP_FLOAT16, 1, 0, 0, nullptr, &bytes));
    EXPECT_EQ(GP_ERROR_DTYPE, gp_sort_work_bytes(context(), GP_INT32, 1, 0, GP_INT32, nullptr, &bytes));
    EXPECT_EQ(GP_ERROR_VALUE_SIZE, gp_sort_work_bytes(context(), GP_INT32, 1, 65, 0, nullptr, &bytes));
    EXPECT_EQ(GP_ERROR_VALUE_SIZE, gp_sort_work_bytes(context(), GP_INT32, 1, 4, GP_UINT32, nullptr, &bytes));
    EXPECT_EQ(GP_ERROR_SIZE_OVERFLOW, gp_sort_work_bytes(context(), GP_INT32, SIZE_MAX, 0, 0, nullptr, &bytes));
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    const auto said = [](const char *words) {
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), words)) << gp_error_message();
    };
    const size_t kMany = (size_t{1} << 32) + 1;
    EXPECT_EQ(GP_ERROR_TOO_LARGE, gp_sort_work_bytes(context(), GP_INT8, kMany, 0, GP_UINT32, nullptr, &bytes));
    said("n is 4294967297; indices of type uint32 reach 2^32");
    if (!on_host()) {
        options.algorithm = "radix-chunks";
        EXPECT_EQ(GP_ERROR_ALGORITHM_REFUSED, gp_sort_work_bytes(context(), GP_INT8, kMany, 0, 0, &options, &bytes));
        said("4294967297");
    }
    options.algorithm = "none such";
    EXPECT_EQ(GP_ERROR_ALGORITHM, gp_sort_work_bytes(context(), GP_INT32, 1, 0, 0, &options, &bytes));
    if (on_host() || max_n() < 5000) return;
    const size_t n = 5000;
    options.algorithm = nullptr;
    std::vector<int32_t> keys(n);
    for (size_t i = 0; i < n; ++i) keys[i] = static_cast<int32_t>(n - i);
    ASSERT_OK(gp_sort_work_bytes(context(), GP_INT32, n, 0, 0, &options, &bytes));
    std::vector<int32_t> both(keys);
    both.resize(n + bytes / 4 + 1);
    DeviceArray<int32_t> array(both, 0);
    options.work = array.buffer();
    options.work_offset = 4 * n;
    options.work_bytes = 1;
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS,
              gp_enqueue_sort(context(), GP_INT32, n, array.buffer(), 0, &options, 0, nullptr, nullptr));
    said("options->work_bytes is 1; expected ");
    options.work_bytes = 0;
    DeviceArray<uint64_t> number(std::vector<uint64_t>(bytes / 8 + 1), 0);
    options.work = options.n_buffer = number.buffer();
    options.work_offset = 0;
    EXPECT_EQ(GP_ERROR_OVERLAP,
              gp_enqueue_sort(context(), GP_INT32, n, array.buffer(), 0, &options, 0, nullptr, nullptr));
    said("options->work overlaps options->n_buffer");
    options.n_buffer = nullptr;
    options.work = array.buffer();
    options.work_offset = 4 * n - 1;
    EXPECT_EQ(GP_ERROR_OVERLAP,
              gp_enqueue_sort(context(), GP_INT32, n, array.buffer(), 0, &options, 0, nullptr, nullptr));
    EXPECT_TRUE(same_bits(both, array.values()));
    options.work_offset = 4 * n;
    EXPECT_OK(gp_enqueue_sort(context(), GP_INT32, n, array.buffer(), 0, &options, 0, nullptr, nullptr));
    std::sort(keys.begin(), keys.end());
    both = array.values();
    both.resize(n);
    EXPECT_TRUE(same_bits(keys, both));
}

// 2^32 + 5 keys that repeat four: what lies where follows from the place alone.
TEST(SortPastTwoToThe32, KeysAndIndices) {
    if (!asked_for("GPCL_TEST_HUGE")) GTEST_SKIP() << "set GPCL_TEST_HUGE=1, with 90 GB of device memory";
    constexpr size_t kN = (size_t(1) << 32) + 5, kRoom = kN + 3, kLook = 1000;
    constexpr uint8_t kPattern[4] = {200, 3, 77, 4}, kSorted[4] = {3, 4, 77, 200};
    constexpr size_t kPlace[4] = {1, 3, 2, 0}; // of the sorted ones in the pattern
    const auto count = [&](size_t of) { return kN / 4 + (kPlace[of] < kN % 4 ? 1 : 0); };
    gp_buffer *keys = nullptr, *indices = nullptr;
    ASSERT_OK(gp_buffer_create(context(), kRoom, &keys));
    ASSERT_OK(gp_buffer_create(context(), kRoom * 8, &indices));
    ASSERT_OK(gp_buffer_fill(keys, 0, kRoom, kPattern, sizeof kPattern));
    ASSERT_OK(
        gp_enqueue_argsort(context(), GP_UINT8, kN, keys, 0, GP_UINT64, indices, 0, nullptr, 0, nullptr, nullptr));
    ASSERT_OK(gp_enqueue_sort(context(), GP_UINT8, kN, keys, 0, nullptr, 0, nullptr, nullptr));
    for (size_t of = 0, begin = 0; of < 4; begin += count(of++))
        for (const size_t within : {size_t(0), count(of) / 2, count(of) - kLook}) {
            std::vector<uint8_t> key(kLook);
            std::vector<uint64_t> index(kLook);
            ASSERT_OK(gp_buffer_read(keys, begin + within, kLook, key.data()));
            ASSERT_OK(gp_buffer_read(indices, (begin + within) * 8, kLook * 8, index.data()));
            for (size_t i = 0; i < kLook; ++i) {
                ASSERT_EQ(kSorted[of], key[i]) << "place " << begin + within + i;
                ASSERT_EQ((within + i) * 4 + kPlace[of], index[i]) << "place " << begin + within + i;
            }
        }
    ASSERT_OK(gp_buffer_free(keys));
    ASSERT_OK(gp_buffer_free(indices));
}

// ---- Samples ------------------------------------------------------------------------------------

// Where sample-bins takes samples: see gp_sample in kernels/sort/sample_bins.cl.
std::vector<size_t> sample_places(size_t samples, size_t n) {
    std::vector<size_t> places;
    const auto share = static_cast<uint32_t>(n / samples);
    for (uint32_t i = 0; i < samples; ++i) places.push_back(i * share + ((i + 1) * 2654435769u >> 8) % share);
    return places;
}

// All samples are large, so that one part has nearly all keys, which is more than local memory
// holds.
TEST(SortSamples, ThatMislead) {
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    options.algorithm = "sample-bins";
    if (on_host()) GTEST_SKIP() << "\"host\" takes no samples";
    const size_t n = std::min<size_t>(max_n(), 9000);
    for (size_t parts = 2; parts * 32 * 2 <= n; parts *= 2) {
        std::vector<int32_t> keys = keys_of<int32_t>(Keys::few_distinct, n);
        for (const size_t place : sample_places(parts * 32, n)) keys[place] = static_cast<int32_t>(1000 + place);
        const auto expected = reference::order(keys, false);
        SCOPED_TRACE("parts: " + std::to_string(parts));
        Guarded<int32_t> alone(keys);
        Guarded<uint32_t> indices(n);
        const gp_status status = gp_sort(context(), GP_INT32, n, alone.data(), &options);
        if (refused(options, status)) return;
        ASSERT_OK(status);
        ASSERT_OK(gp_argsort(context(), GP_INT32, n, keys.data(), GP_UINT32, indices.data(), &options));
        ASSERT_TRUE(same_bits(permuted(keys, expected), alone.values()));
        ASSERT_TRUE(same_bits(std::vector<uint32_t>(expected.begin(), expected.end()), indices.values()));
        ASSERT_TRUE(alone.intact() && indices.intact()) << "a canary was overwritten";
    }
}

// Parts of more keys, which more than 2^18 take where work-groups have 1024 work-items; and more
// than as many as there are units, all of them of one key but for some.
TEST(SortSamples, OfManyKeys) {
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    options.algorithm = "sample-bins";
    if (on_host()) GTEST_SKIP() << "\"host\" takes no samples";
    for (const size_t n : {size_t(70'001), size_t(262'145), size_t(300'007), size_t(524'288)}) {
        if (n > max_n()) continue;
        for (const bool few : {false, true}) {
            SCOPED_TRACE("n: " + std::to_string(n) + (few ? ", mostly equal" : ""));
            std::vector<float> keys = keys_of<float>(Keys::random, n);
            if (few)
                for (size_t i = 0; i < n; ++i) keys[i] = i % 1000 != 7 ? (i % 2 != 0 ? 0.0f : -0.0f) : keys[i];
            const auto expected = reference::order(keys, false);
            Guarded<float> paired(keys);
            const auto values = random_bytes(n * 4);
            Guarded<uint8_t> moved(values);
            Guarded<uint32_t> indices(n);
            const gp_status status = gp_sort_pairs(context(), GP_FLOAT32, n, paired.data(), 4, moved.data(), &options);
            if (refused(options, status)) break;
            ASSERT_OK(status);
            ASSERT_OK(gp_argsort(context(), GP_FLOAT32, n, keys.data(), GP_UINT32, indices.data(), &options));
            ASSERT_TRUE(same_bits(permuted(keys, expected), paired.values()));
            ASSERT_TRUE(same_bits(permuted(values, expected, 4), moved.values()));
            ASSERT_TRUE(same_bits(std::vector<uint32_t>(expected.begin(), expected.end()), indices.values()));
            ASSERT_TRUE(paired.intact() && moved.intact() && indices.intact()) << "a canary was overwritten";
        }
    }
}

// ---- Launches -----------------------------------------------------------------------------------

// A few thousand keys, with values of any size or without, and argsort: one launch and nothing else
// on the device.
TEST(SortLaunches, OneForFewKeys) {
    if (on_host()) GTEST_SKIP() << "the host launches nothing";
    ASSERT_OK(gp_profile(context(), 1));
    for (const gp_dtype type : {GP_UINT8, GP_FLOAT32})
        for (const auto &[value_size, index] : kWorkings)
            for (const size_t n : {size_t(1), size_t(97), size_t(4096)}) {
                if (n > max_n()) continue;
                SCOPED_TRACE(std::string(gp_dtype_name(type)) + ", values of " + std::to_string(value_size) +
                             " bytes, indices " + gp_dtype_name(index) + ", n = " + std::to_string(n));
                const auto bytes = random_bytes(n * 8), values = random_bytes(n * 64);
                DeviceArray<uint8_t> keys(bytes, 8), moved(values, 64);
                gp_event *event = nullptr;
                if (index != 0)
                    ASSERT_OK(gp_enqueue_argsort(context(), type, n, keys.buffer(), 1, index, moved.buffer(), 1,
                                                 nullptr, 0, nullptr, &event));
                else if (value_size != 0)
                    ASSERT_OK(gp_enqueue_sort_pairs(context(), type, n, keys.buffer(), 1, value_size, moved.buffer(), 1,
                                                    nullptr, 0, nullptr, &event));
                else
                    ASSERT_OK(gp_enqueue_sort(context(), type, n, keys.buffer(), 1, nullptr, 0, nullptr, &event));
                gp_timing timing = GP_TIMING_INIT;
                ASSERT_OK(gp_event_timing(event, &timing));
                EXPECT_EQ(1u, timing.commands);
                ASSERT_OK(gp_event_free(event));
            }
    ASSERT_OK(gp_profile(context(), 0));
}

} // namespace
