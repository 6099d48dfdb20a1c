// The context of the device under test, the sizes to try, and main() of every test program.
// SPDX-License-Identifier: MIT
#include "support.h"

#include "pairwise.h"

#include <clocale>
#include <cstdio>
#include <locale>
#include <utility>

namespace test {

namespace {

gp_context *the_context = nullptr;

gp_context *open() {
    gp_context *opened = nullptr;
    if (gp_open(nullptr, &opened) != GP_SUCCESS) {
        std::fprintf(stderr, "no device to test: %s\n", gp_error_message());
        std::exit(EXIT_FAILURE);
    }
    return opened;
}

gp_device_info describe() {
    gp_device_info info = {};
    info.struct_size = sizeof info;
    if (gp_describe(context(), &info) != GP_SUCCESS) {
        std::fprintf(stderr, "the device under test can't be described: %s\n", gp_error_message());
        std::exit(EXIT_FAILURE);
    }
    return info;
}

// The number in an environment variable, or `otherwise` where there is none.
size_t number(const char *variable, size_t otherwise) {
    const char *text = std::getenv(variable);
    return text != nullptr && *text != 0 ? static_cast<size_t>(std::strtoull(text, nullptr, 10)) : otherwise;
}

} // namespace

gp_context *context() {
    if (the_context == nullptr) the_context = open();
    return the_context;
}

const gp_device_info &device() {
    static const gp_device_info info = describe();
    return info;
}

size_t max_n() {
    static const size_t n = number("GPCL_TEST_MAX_N", (size_t(1) << 20) + 1);
    return n;
}

std::vector<size_t> sizes() {
    std::vector<size_t> all = {0, 1, 2, 33};
    for (size_t power = 64; power <= 4096; power *= 2) all.insert(all.end(), {power - 1, power, power + 1});
    all.insert(all.end(), {97, 1009, 10007, 65537, 262139, (size_t(1) << 20) + 1});
    std::sort(all.begin(), all.end());
    if (is_brief()) all = {0, 1, 33, 127, 1009, 4097, 65537, (size_t(1) << 20) + 1};
    all.erase(std::remove_if(all.begin(), all.end(), [](size_t n) { return n > max_n(); }), all.end());
    return all;
}

size_t past_caches(size_t bytes) { return std::min<size_t>(device().cache_bytes / bytes, size_t(1) << 23) + 12347; }

bool takes_past_caches() { return max_n() > size_t(1) << 20 || (max_n() > 5000 && all_types()); }

std::vector<const char *> algorithms(gp_operation operation, bool named) {
    std::vector<const char *> names = {nullptr};
    // llvmpipe takes up to half a minute for a program.
    if (!named || (std::string(device().platform) == "rusticl" && !thorough())) return names;
    if (implementation() == "pocl-host") return names; // entries of pocl take those by name
    size_t count = 0;
    EXPECT_OK(gp_algorithms(operation, &count));
    for (size_t i = 0; i < count; ++i) {
        gp_algorithm_info info = {};
        info.struct_size = sizeof info;
        EXPECT_OK(gp_algorithm_describe(operation, i, &info));
        if (info.by_name != 0 && is_brief()) continue;
        if ((info.on_host != 0) == on_host() && !manifest().is_broken(operation, info.name, implementation()))
            names.push_back(info.name);
    }
    EXPECT_LT(1u, names.size()) << "no algorithm is listed for this class of device";
    const bool in_turn = max_n() <= 100 || spares_programs();
    if (!in_turn || names.size() == 1) return names;
    static size_t turn = 0;
    static const testing::TestInfo *last = nullptr;
    const testing::TestInfo *running = testing::UnitTest::GetInstance()->current_test_info();
    const bool is_next = max_n() <= 100 || running != last;
    if (is_next && std::exchange(last, running) != nullptr) ++turn;
    return {nullptr, names[1 + turn % (names.size() - 1)]};
}

bool asked_for(const char *variable) {
    const char *text = std::getenv(variable);
    return text != nullptr && std::string(text) == "1";
}

// GPCL_TEST_LOCALE=3 writes numbers such as "4.096,5", and 1 such as "4.0.9.6,5". C++ does so
// always, C has decimal commas where such a locale is installed.
void take_locale(const char *group) {
    struct Punctuation : std::numpunct<char> {
        explicit Punctuation(int digits) : grouping(1, static_cast<char>(digits)) {}
        char do_decimal_point() const override { return ','; }
        char do_thousands_sep() const override { return '.'; }
        std::string do_grouping() const override { return grouping; }
        const std::string grouping;
    };
    std::locale::global(std::locale(std::locale::classic(), new Punctuation(std::atoi(group))));
    for (const char *name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"}) {
        if (std::setlocale(LC_ALL, name) != nullptr) break;
    }
}

// GoogleTest writes its results as numbers that JSON has.
struct ClassicAtTheEnd : testing::EmptyTestEventListener {
    void OnTestIterationEnd(const testing::UnitTest &, int) override {
        std::locale::global(std::locale::classic());
        std::setlocale(LC_ALL, "C");
    }
};

bool all_types() {
    const char *types = std::getenv("GPCL_TEST_TYPES");
    return types != nullptr && std::string(types) == "all";
}

bool spares_programs() { return device().kind == GP_DEVICE_CPU && !thorough() && !asked_for("GPCL_TEST_LONG"); }

bool is_short() { return spares_programs() && asked_for("GPCL_TEST_SHORT"); }

// Is the suite of a type that is neither int32 nor float32? Such as Sort/int16, not
// ScanRows/int32.int64.
bool is_of_other_type(const testing::TestSuite &suite) {
    const std::string name = suite.name();
    const auto type = name.find('/');
    if (type == std::string::npos || suite.type_param() == nullptr) return false;
    return name.compare(type + 1, 5, "int32") != 0 && name.compare(type + 1, 7, "float32") != 0;
}

bool is_of_other_type() {
    const testing::UnitTest &program = *testing::UnitTest::GetInstance();
    if (program.current_test_info() == nullptr || thorough() || device().kind != GP_DEVICE_CPU) return false;
    return is_of_other_type(*program.current_test_suite());
}

bool is_brief() { return !all_types() && is_of_other_type(); }

// Does a pattern of --gtest_filter match all of the name?
bool matches(const char *pattern, const char *end, const char *name) {
    if (pattern == end) return *name == 0;
    if (*pattern == '*') return matches(pattern + 1, end, name) || (*name != 0 && matches(pattern, end, name + 1));
    return *name != 0 && (*pattern == '?' || *pattern == *name) && matches(pattern + 1, end, name + 1);
}

bool matches_one(const std::string &patterns, const std::string &name) {
    for (size_t begin = 0; begin <= patterns.size();) {
        const size_t end = std::min(patterns.find(':', begin), patterns.size());
        if (matches(patterns.data() + begin, patterns.data() + end, name.c_str())) return true;
        begin = end + 1;
    }
    return false;
}

// Numbers types by where they occur first in a program's suites.
struct TypeNumbers {
    size_t of(const testing::TestSuite &suite) {
        const auto at = std::find(types.begin(), types.end(), suite.type_param());
        const auto number = static_cast<size_t>(at - types.begin());
        if (at == types.end()) types.emplace_back(suite.type_param());
        return number;
    }
    std::vector<std::string> types;
};

struct Test {
    const testing::TestSuite *suite;
    size_t number; // in the suite
    std::string name;
};

// The tests that the filter takes.
std::vector<Test> wanted_tests() {
    const std::string filter = GTEST_FLAG_GET(filter);
    const size_t minus = std::min(filter.find('-'), filter.size());
    const std::string wanted = minus == 0 ? "*" : filter.substr(0, minus);
    const bool has_others = minus < filter.size();
    const std::string others = has_others ? filter.substr(minus + 1) : "";
    std::vector<Test> result;
    const testing::UnitTest &program = *testing::UnitTest::GetInstance();
    for (int i = 0; i < program.total_test_suite_count(); ++i) {
        const testing::TestSuite &suite = *program.GetTestSuite(i);
        for (int j = 0; j < suite.total_test_count(); ++j) {
            const std::string name = std::string(suite.name()) + "." + suite.GetTestInfo(j)->name();
            if (matches_one(wanted, name) && !(has_others && matches_one(others, name)))
                result.push_back({&suite, static_cast<size_t>(j), name});
        }
    }
    return result;
}

// Adds the names to what --gtest_filter leaves out.
void leave_out(const std::vector<std::string> &names) {
    std::string filter = GTEST_FLAG_GET(filter);
    char separator = filter.find('-') == std::string::npos ? '-' : ':';
    for (const std::string &name : names) {
        filter += separator + name;
        separator = ':';
    }
    GTEST_FLAG_SET(filter, filter);
}

// Of suites of other types than int32 and float32, leaves out all cases where is_short(), else two
// in three: of the next type other ones.
void leave_types_out(const std::vector<Test> &tests) {
    constexpr size_t kTurns = 3;
    TypeNumbers types;
    std::vector<std::string> left;
    for (const Test &test : tests) {
        if (!is_of_other_type(*test.suite)) continue;
        const bool is_its_turn = (types.of(*test.suite) + test.number) % kTurns == 0;
        if (is_short() || !is_its_turn) left.push_back(test.name);
    }
    leave_out(left);
}

// Leaves out the tests that are not of this part of the program: GPCL_TEST_PART=2/3. All tests of a
// type are of one part: they build the same programs, and parts that run side by side would build
// them twice. False where the filter has tests, but none of this part.
bool take_part(const char *text) {
    size_t part = 0;
    size_t parts = 0;
    if (std::sscanf(text, "%zu/%zu", &part, &parts) != 2 || part < 1 || part > parts) {
        std::fprintf(stderr, "GPCL_TEST_PART=%s is no part such as 2/3\n", text);
        std::exit(EXIT_FAILURE);
    }
    TypeNumbers types;
    size_t untyped = 0, taken = 0;
    std::vector<std::string> left;
    for (const Test &test : wanted_tests()) {
        const size_t number = test.suite->type_param() == nullptr ? untyped++ : types.of(*test.suite);
        if (number % parts == part - 1) {
            ++taken;
        } else {
            left.push_back(test.name);
        }
    }
    leave_out(left);
    return taken > 0 || left.empty();
}

std::vector<std::vector<size_t>> combinations_of(const std::vector<size_t> &counts) {
    return thorough() ? product(counts) : pairwise(counts);
}

bool thorough() { return on_host() || asked_for("GPCL_TEST_THOROUGH"); }

} // namespace test

int main(int argc, char **argv) {
    testing::InitGoogleTest(&argc, argv);
    if (GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();
    if (const char *group = std::getenv("GPCL_TEST_LOCALE")) {
        test::take_locale(group);
        testing::UnitTest::GetInstance()->listeners().Append(new test::ClassicAtTheEnd); // before the writer
    }
    std::printf("device under test: %s (%s, %s)\n", test::device().name, test::device().selector,
                test::device().platform);
    std::fflush(stdout);
    const std::string filter = GTEST_FLAG_GET(filter);
    const std::vector<test::Test> tests = test::wanted_tests();
    if (test::spares_programs()) test::leave_types_out(tests);
    constexpr int kSkipped = 77;
    const char *part = std::getenv("GPCL_TEST_PART");
    if (part != nullptr && !test::take_part(part)) {
        std::printf("skipped: the other parts have all tests\n");
        return kSkipped;
    }
    int status = RUN_ALL_TESTS();
    if (testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
        if (!tests.empty()) {
            std::printf("skipped: an OpenCL CPU takes none of these tests without GPCL_TEST_LONG=1\n");
            return kSkipped;
        }
        std::fprintf(stderr, "--gtest_filter=%s matches no test\n", filter.c_str());
        status = EXIT_FAILURE;
    }
    if (gp_close(test::context()) != GP_SUCCESS) {
        std::fprintf(stderr, "the context does not close: %s\n", gp_error_message());
        status = EXIT_FAILURE;
    }
    return status;
}
