// The list of devices and the texts that select one.
// SPDX-License-Identifier: MIT
#include "child.h"
#include "support/support.h"

#include <cctype>
#include <cstddef>
#include <sstream>

namespace {

gp_device_info described(size_t index) {
    gp_device_info info{};
    info.struct_size = sizeof info;
    EXPECT_OK(gp_device_describe(index, &info));
    return info;
}

std::vector<gp_device_info> all_devices() {
    size_t count = 0;
    EXPECT_OK(gp_devices(&count));
    std::vector<gp_device_info> devices;
    for (size_t i = 0; i < count; ++i) devices.push_back(described(i));
    return devices;
}

// What gp_open(selector) opens; the test fails when it opens nothing.
gp_device_info opened(const char *selector) {
    gp_context *context = nullptr;
    gp_device_info info{};
    info.struct_size = sizeof info;
    EXPECT_OK(gp_open(selector, &context));
    if (context == nullptr) return info;
    EXPECT_OK(gp_describe(context, &info));
    EXPECT_OK(gp_close(context));
    return info;
}

// Refused; the message has the selector and the name and the selector of every device in it.
void expect_no_device(const char *selector, const char *shown) {
    int unrelated = 0;
    auto *context = reinterpret_cast<gp_context *>(&unrelated);
    EXPECT_EQ(GP_ERROR_NO_DEVICE, gp_open(selector, &context)) << shown;
    EXPECT_EQ(nullptr, context);
    const std::string message = gp_error_message();
    const auto has = [&](const char *text) { return message.find(text) != std::string::npos; };
    EXPECT_TRUE(has("gp_open")) << message;
    EXPECT_TRUE(has(shown)) << message;
    for (const gp_device_info &device : all_devices()) {
        EXPECT_EQ(GP_ERROR_NO_DEVICE, gp_open(selector, &context));
        EXPECT_TRUE(has(device.selector)) << message;
        EXPECT_TRUE(has(device.name)) << message;
    }
}

// GPCL_DEVICE has another value while this lives.
class DeviceVariable {
  public:
    explicit DeviceVariable(const char *value) {
        if (const char *now = std::getenv("GPCL_DEVICE")) before_ = now;
        set(value);
    }
    DeviceVariable(const DeviceVariable &) = delete;
    DeviceVariable &operator=(const DeviceVariable &) = delete;
    ~DeviceVariable() { set(before_.empty() ? nullptr : before_.c_str()); }

  private:
    static void set(const char *value) {
        if (value == nullptr)
            unsetenv("GPCL_DEVICE");
        else
            setenv("GPCL_DEVICE", value, 1);
    }
    std::string before_;
};

std::string in_capitals(std::string text) {
    for (char &letter : text) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    return text;
}

TEST(Device, HostComesLast) {
    const auto devices = all_devices();
    ASSERT_FALSE(devices.empty());
    for (size_t i = 0; i < devices.size(); ++i) {
        const gp_device_info &device = devices[i];
        const bool last = i + 1 == devices.size();
        EXPECT_EQ(last, device.kind == GP_DEVICE_HOST) << device.name;
        EXPECT_EQ(last ? "host" : std::to_string(device.platform_index) + ":" + std::to_string(device.device_index),
                  device.selector);
        EXPECT_STRNE("", device.name);
        EXPECT_GE(device.compute_units, 1u) << device.name;
        EXPECT_GE(device.work_group_size, 1u) << device.name;
        EXPECT_GE(device.global_bytes, device.allocation_bytes) << device.name;
        EXPECT_GT(device.allocation_bytes, 0u) << device.name;
    }
    EXPECT_EQ(-1, devices.back().platform_index);
    EXPECT_EQ(1, devices.back().has_float64);
    EXPECT_EQ(1, devices.back().has_unified_memory);
}

TEST(Device, EachOpensByItsOwnSelector) {
    for (const gp_device_info &device : all_devices()) {
        const gp_device_info info = opened(device.selector);
        EXPECT_STREQ(device.selector, info.selector);
        EXPECT_STREQ(device.name, info.name);
        EXPECT_EQ(device.kind, info.kind);
    }
}

TEST(Device, NullAndEmptyTakeTheVariable) {
    const DeviceVariable variable("host");
    EXPECT_EQ(GP_DEVICE_HOST, opened(nullptr).kind);
    EXPECT_EQ(GP_DEVICE_HOST, opened("").kind);
}

TEST(Device, TheVariableThatMatchesNothingIsAnError) {
    const DeviceVariable variable("no such device");
    expect_no_device(nullptr, "no such device");
}

TEST(Device, WithoutTheVariableTheBestKindWins) {
    const DeviceVariable variable(nullptr);
    gp_device_kind best = GP_DEVICE_HOST;
    for (const gp_device_kind kind : {GP_DEVICE_CPU, GP_DEVICE_ACCELERATOR, GP_DEVICE_GPU}) {
        for (const gp_device_info &device : all_devices()) {
            if (device.kind == kind) best = kind;
        }
    }
    EXPECT_EQ(best, opened(nullptr).kind);
}

TEST(Device, KindSelects) {
    const std::vector<std::pair<const char *, gp_device_kind>> kinds = {{"gpu", GP_DEVICE_GPU},
                                                                        {"accelerator", GP_DEVICE_ACCELERATOR},
                                                                        {"cpu", GP_DEVICE_CPU},
                                                                        {"host", GP_DEVICE_HOST}};
    const auto devices = all_devices();
    for (const auto &[selector, kind] : kinds) {
        const std::string loud = in_capitals(selector);
        const bool there = std::any_of(devices.begin(), devices.end(),
                                       [kind = kind](const gp_device_info &device) { return device.kind == kind; });
        if (there) {
            EXPECT_EQ(kind, opened(selector).kind) << selector;
            EXPECT_EQ(kind, opened(loud.c_str()).kind) << loud;
        } else {
            expect_no_device(selector, selector);
            expect_no_device(loud.c_str(), loud.c_str());
        }
    }
}

TEST(Device, PartOfANameSelectsInAnyCase) {
    const auto devices = all_devices();
    for (size_t i = 0; i + 1 < devices.size(); ++i) {
        for (std::string text : {std::string(devices[i].name), std::string(devices[i].platform)}) {
            text = text.substr(0, text.size() - 1);
            std::string turned = text;
            for (char &letter : turned) {
                const auto byte = static_cast<unsigned char>(letter);
                letter = static_cast<char>(std::isupper(byte) != 0 ? std::tolower(byte) : std::toupper(byte));
            }
            const auto has = [&](const gp_device_info &device) {
                return std::string(device.name).find(text) != std::string::npos ||
                       std::string(device.platform).find(text) != std::string::npos;
            };
            const auto first = std::find_if(devices.begin(), devices.end(), has);
            ASSERT_NE(devices.end(), first);
            EXPECT_STREQ(first->selector, opened(turned.c_str()).selector) << turned;
        }
    }
}

// The text behind "OpenCL 3.0", of which PoCL's has its usual name. Names come before it.
TEST(Device, PartOfThePlatformsVersionSelects) {
    const auto devices = all_devices();
    for (size_t i = 0; i + 1 < devices.size(); ++i) {
        std::istringstream words(devices[i].platform_version);
        std::string text, number, own;
        words >> text >> number >> own;
        if (own.empty() || own.find_first_not_of("0123456789:") == std::string::npos) continue;
        const auto find = [&](auto member) {
            return std::find_if(devices.begin(), devices.end() - 1, [&](const gp_device_info &device) {
                return std::string(member(device)).find(own) != std::string::npos;
            });
        };
        auto expected =
            find([](const gp_device_info &device) { return std::string(device.name) + "\n" + device.platform; });
        if (expected == devices.end() - 1)
            expected = find([](const gp_device_info &device) { return std::string(device.platform_version); });
        EXPECT_STREQ(expected->selector, opened(own.c_str()).selector) << own;
    }
    expect_no_device("OpenCL 9.9", "OpenCL 9.9");
}

TEST(Device, NoMatchListsTheDevices) {
    expect_no_device("99:0", "99:0");
    expect_no_device("0:99", "0:99");
    expect_no_device("0:", "0:");
    expect_no_device("18446744073709551616:0", "18446744073709551616:0");
    expect_no_device("a device that nobody built", "a device that nobody built");
}

TEST(Device, DescribeRefusesBadArguments) {
    size_t count = 0;
    ASSERT_OK(gp_devices(&count));
    gp_device_info info{};
    info.struct_size = sizeof info;
    EXPECT_EQ(GP_ERROR_INDEX, gp_device_describe(count, &info));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "index")) << gp_error_message();
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_device_describe(0, nullptr));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_devices(nullptr));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_open("host", nullptr));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_open_with("host", nullptr, nullptr));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_describe(nullptr, &info));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_describe(test::context(), nullptr));
    info.struct_size = 0;
    EXPECT_EQ(GP_ERROR_STRUCT_SIZE, gp_device_describe(0, &info));
    EXPECT_EQ(GP_ERROR_STRUCT_SIZE, gp_describe(test::context(), &info));
}

// A bound on device memory is none on "host", whoever sets it; one that is no number is an error.
TEST(Device, HostHasNoBoundOnMemory) {
    constexpr size_t kN = 10'000;
    const gp_device_info unbounded = all_devices().back();
    gp_open_options options = GP_OPEN_OPTIONS_INIT;
    for (const char *variable : {"", "1"}) {
        if (*variable != 0)
            setenv("GPCL_DEVICE_MEMORY", variable, 1);
        else
            options.memory_bytes = 1;
        gp_context *host = nullptr;
        gp_buffer *buffer = nullptr;
        gp_device_info info{};
        info.struct_size = sizeof info;
        ASSERT_OK(gp_open_with("host", &options, &host));
        EXPECT_OK(gp_describe(host, &info));
        EXPECT_EQ(unbounded.global_bytes, info.global_bytes);
        EXPECT_EQ(unbounded.allocation_bytes, info.allocation_bytes);
        EXPECT_OK(gp_buffer_create(host, kN, &buffer));
        std::vector<int32_t> values(kN, 1);
        EXPECT_OK(gp_scan(host, GP_INT32, kN, values.data(), values.data(), nullptr));
        EXPECT_EQ(static_cast<int32_t>(kN), values.back());
        EXPECT_OK(gp_buffer_free(buffer));
        EXPECT_OK(gp_close(host));
        options.memory_bytes = 0;
    }
    setenv("GPCL_DEVICE_MEMORY", "much", 1);
    auto *const none = reinterpret_cast<gp_context *>(&options);
    gp_context *host = none;
    EXPECT_EQ(GP_ERROR_OPTION, gp_open("host", &host));
    EXPECT_EQ(nullptr, host);
    host = none;
    EXPECT_EQ(GP_ERROR_OPTION, gp_open_with("host", &options, &host));
    EXPECT_EQ(nullptr, host);
    options.memory_bytes = 1; // so the variable is not asked
    EXPECT_OK(gp_open_with("host", &options, &host));
    EXPECT_OK(gp_close(host));
    unsetenv("GPCL_DEVICE_MEMORY");
}

TEST(Device, AnOlderStructureIsFilledAsFarAsItReaches) {
    gp_device_info info;
    std::memset(&info, 0x5a, sizeof info);
    info.struct_size = offsetof(gp_device_info, compute_units);
    ASSERT_OK(gp_describe(test::context(), &info));
    EXPECT_EQ(test::device().kind, info.kind);
    const auto *bytes = reinterpret_cast<const unsigned char *>(&info);
    for (size_t i = offsetof(gp_device_info, compute_units); i < sizeof info; ++i) ASSERT_EQ(0x5a, bytes[i]) << i;
}

TEST(Device, TheVersionIsTheHeaders) {
    const std::string expected = std::to_string(GP_VERSION_MAJOR) + "." + std::to_string(GP_VERSION_MINOR) + "." +
                                 std::to_string(GP_VERSION_PATCH);
    EXPECT_EQ(expected, gp_version());
}

// A device that tests make poorer.

int print_limits() {
    gp_context *context = nullptr;
    if (gp_open(nullptr, &context) != GP_SUCCESS) {
        std::printf("%s", gp_error_message());
        return 0;
    }
    gp_device_info info{};
    info.struct_size = sizeof info;
    CHILD_OK(gp_describe(context, &info));
    std::printf("%d %zu %zu %zu %d %d", info.kind, static_cast<size_t>(info.work_group_size),
                static_cast<size_t>(info.local_bytes), static_cast<size_t>(info.allocation_bytes), info.has_float64,
                info.has_images);
    std::vector<int32_t> values(100'000, 1);
    CHILD_OK(gp_scan(context, GP_INT32, values.size(), values.data(), values.data(), nullptr));
    CHILD_CHECK(values.back() == 100'000);
    CHILD_OK(gp_close(context));
    return 0;
}

TEST(Limits, MakeADevicePoorer) {
    if (test::on_host()) GTEST_SKIP() << "they are those of OpenCL devices";
    const auto limited = [](const char *list) {
        return test::run_child("print_limits", {{"GPCL_LIMITS", list}}).output;
    };
    EXPECT_EQ(std::to_string(GP_DEVICE_GPU) + " 1 4096 1000000 0 0",
              limited("work-group=1,local=4096,buffer=1000000,no-float64,no-images,gpu"));
    const gp_device_info &info = test::device();
    std::ostringstream all;
    all << info.kind << ' ' << info.work_group_size << ' ' << info.local_bytes << ' ' << info.allocation_bytes << ' '
        << info.has_float64 << ' ' << info.has_images;
    EXPECT_EQ(all.str(), limited("no-int64-atomics,no-forward-progress,sub-group=8,out-of-order,no-optimiser,no-host"));
    EXPECT_EQ(all.str(), limited("work-group=1000000000,local=1000000000000,buffer=1000000000000000"))
        << "none has more";
}

TEST(Limits, AMistypedOneIsAnError) {
    if (test::on_host()) GTEST_SKIP() << "they are those of OpenCL devices";
    const test::Ended ended = test::run_child("print_limits", {{"GPCL_LIMITS", "no-float64,work-groups=64"}});
    for (const char *part : {"\"work-groups=64\"", "work-group=N", "no-forward-progress", "out-of-order",
                             "no-optimiser", "gpu", "no-host"})
        EXPECT_NE(std::string::npos, ended.output.find(part)) << ended.output;
}

const test::Children children({{"print_limits", print_limits}});

} // namespace
