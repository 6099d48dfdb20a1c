// The table of architectures, and what GPCL_FEATURES makes of it.
// SPDX-License-Identifier: MIT
#include "cl/features.h"
#include "cl/limits.h"
#include "cl/program.h"
#include "core/error.h"

#include <gtest/gtest.h>

using namespace gpcl;
using namespace gpcl::cl;

namespace {

Features nvidia(unsigned major, unsigned minor, std::string_view form = {}) {
    DeviceFacts facts;
    facts.vendor = "NVIDIA Corporation";
    facts.nvidia_major = major;
    facts.nvidia_minor = minor;
    facts.local_bytes = 48 << 10;
    return features_of(facts, form);
}

TEST(Features, NvidiaArchitectures) {
    struct Case {
        unsigned major, minor, ptx;
        size_t local_kib;
        bool bulk;
    };
    for (const Case &one :
         {Case{7, 0, 70, 96, false}, Case{7, 2, 70, 48, false}, Case{7, 5, 70, 64, false}, Case{8, 0, 80, 163, false},
          Case{8, 6, 80, 99, false}, Case{8, 7, 80, 163, false}, Case{8, 9, 80, 99, false}, Case{9, 0, 90, 227, true},
          Case{10, 0, 90, 227, true}, Case{12, 0, 120, 99, true}}) {
        SCOPED_TRACE(one.major * 10 + one.minor);
        const Features features = nvidia(one.major, one.minor);
        EXPECT_EQ(one.ptx, features.ptx);
        EXPECT_EQ(one.local_kib << 10, features.local_bytes);
        EXPECT_EQ(one.bulk, features.all(kBulkCopy | kMatrixUnits));
        EXPECT_EQ(one.ptx >= 80, features.all(kAsyncCopy));
        EXPECT_TRUE(features.all(kForwardProgress | kShuffle));
        EXPECT_EQ(" -DGP_PTX=" + std::to_string(one.ptx), features.options());
    }
}

TEST(Features, WarpGroupsAreOfOneArchitectureAlone) {
    EXPECT_TRUE(nvidia(9, 0).all(kWarpGroups));
    for (const unsigned major : {7, 8, 10, 12, 13}) EXPECT_FALSE(nvidia(major, 0).all(kWarpGroups)) << major;
}

TEST(Features, AnUnknownNewerGpuIsAsTheNewestThatIsKnown) {
    EXPECT_EQ(120U, nvidia(13, 5).ptx);
    EXPECT_TRUE(nvidia(13, 5).all(kBulkCopy));
}

TEST(Features, AnOlderGpuHasNone) {
    const Features features = nvidia(6, 1);
    EXPECT_EQ(0U, features.ptx);
    EXPECT_EQ(0U, features.has);
    EXPECT_EQ(size_t{48} << 10, features.local_bytes);
    EXPECT_EQ("", features.options());
}

Features amd(std::string_view name) {
    DeviceFacts facts;
    facts.name = name;
    facts.vendor = "Advanced Micro Devices, Inc.";
    facts.local_bytes = 64 << 10;
    return features_of(facts, {});
}

TEST(Features, ForwardProgressIsGrantedByArchitecture) {
    for (const char *name : {"gfx803", "gfx90a", "gfx942", "gfx1030", "gfx1100:sramecc+"})
        EXPECT_EQ(FeatureSet{kForwardProgress}, amd(name).has) << name;
    for (const char *name : {"gfx701", "Hawaii", "gfx"}) EXPECT_EQ(0U, amd(name).has) << name;
}

DeviceFacts with_sub_groups(size_t width) {
    DeviceFacts facts;
    facts.vendor = "Intel(R) Corporation";
    facts.extensions = "cl_khr_subgroup_ballot cl_khr_subgroup_shuffle cl_intel_required_subgroup_size";
    facts.sub_group = width;
    return facts;
}

TEST(Features, SubGroupsOf32CanShuffle) {
    EXPECT_EQ(FeatureSet{kShuffle}, features_of(with_sub_groups(32), {}).has);
    EXPECT_EQ(" -DGP_SUB_GROUPS -cl-std=CL3.0", features_of(with_sub_groups(32), {}).options());
    EXPECT_EQ(0U, features_of(with_sub_groups(16), {}).has);
    for (const size_t width : {1, 8, 16, 128})
        EXPECT_EQ("", features_of(with_sub_groups(width), {}).options()) << width;
    EXPECT_EQ(FeatureSet{kShuffle}, features_of(with_sub_groups(64), {}).has);
}

TEST(Limits, AreReadFromAList) {
    const Limits none = read_limits("");
    EXPECT_EQ(SIZE_MAX, none.work_group);
    EXPECT_EQ(SIZE_MAX, none.local);
    EXPECT_EQ(SIZE_MAX, none.buffer);
    EXPECT_FALSE(none.sub_group || none.no_float64 || none.no_int64_atomics || none.no_images ||
                 none.no_forward_progress || none.out_of_order || none.no_optimiser);
    const Limits all = read_limits("work-group=64,local=16384,buffer=134217728,sub-group=8,no-float64,no-int64-atomics,"
                                   "no-images,no-forward-progress,out-of-order,no-optimiser");
    EXPECT_EQ(64U, all.work_group);
    EXPECT_EQ(16384U, all.local);
    EXPECT_EQ(134217728U, all.buffer);
    EXPECT_EQ(8U, all.sub_group);
    EXPECT_TRUE(all.no_float64 && all.no_int64_atomics && all.no_images && all.no_forward_progress &&
                all.out_of_order && all.no_optimiser);
}

TEST(Limits, AMistypedOneIsRefused) {
    for (const char *list : {"work-groups=64", "work-group", "work-group=", "work-group=0", "work-group=6x", "local=-1",
                             "no-float64=1", "nofloat64", "no-float64, no-images", "no-float64,,no-images", ","}) {
        try {
            read_limits(list);
            ADD_FAILURE() << list << " is taken";
        } catch (const Error &error) {
            EXPECT_EQ(GP_ERROR_OPTION, error.status);
            EXPECT_NE(std::string::npos, error.message.find("GPCL_LIMITS has \"")) << error.message;
            EXPECT_NE(std::string::npos, error.message.find("; expected")) << error.message;
        }
    }
}

TEST(Features, AFormCanBeForced) {
    const FeatureSet emulated = kForwardProgress | kShuffle | kAsyncCopy | kBulkCopy | kWarpGroups;
    EXPECT_EQ(emulated, features_of(with_sub_groups(0), "portable").has);
    EXPECT_EQ("", features_of(with_sub_groups(32), "portable").options());
    EXPECT_EQ(" -DGP_SUB_GROUPS -cl-std=CL3.0", features_of(with_sub_groups(32), "sub-groups").options());
    EXPECT_EQ(emulated, nvidia(9, 0, "portable").has);
    EXPECT_EQ(" -DGP_PEEKS", nvidia(9, 0, "portable").options());
    EXPECT_EQ(" -DGP_PEEKS", amd("gfx90a").options());
    EXPECT_EQ(80U, nvidia(9, 0, "ptx80").ptx);
    EXPECT_FALSE(nvidia(9, 0, "ptx80").all(kBulkCopy));
    EXPECT_FALSE(nvidia(9, 0, "ptx80").all(kWarpGroups));
    EXPECT_TRUE(nvidia(9, 0, "ptx90").all(kWarpGroups));
    EXPECT_FALSE(nvidia(10, 0, "ptx90").all(kWarpGroups));
    EXPECT_EQ(70U, nvidia(7, 0, "ptx90").ptx); // none that the device does not know
    EXPECT_THROW(nvidia(9, 0, "ptx91"), Error);
    EXPECT_THROW(nvidia(9, 0, "fast"), Error);
}

TEST(Features, AProgramNamesOneVersionOfOpenCLC) {
    Device device;
    device.options = "-DDEVICE ";
    EXPECT_EQ("-cl-std=CL1.2 -w -DDEVICE -DKEY", build_options(device, {"", "-DKEY"}));
    EXPECT_EQ("-w -DDEVICE -DKEY -DGP_SUB_GROUPS -cl-std=CL3.0",
              build_options(device, {"", "-DKEY" + features_of(with_sub_groups(32), {}).options()}));
}

TEST(Features, WhoCanNotBeWaitedForIsNotWaitedForLong) {
    EXPECT_EQ(100'000U, nvidia(9, 0).spin_limit());
    EXPECT_EQ(100'000U, amd("gfx90a").spin_limit());
    EXPECT_EQ(100U, features_of(with_sub_groups(32), {}).spin_limit());
    EXPECT_EQ(100U, features_of(with_sub_groups(32), "portable").spin_limit());
    EXPECT_EQ(100'000U, nvidia(9, 0, "portable").spin_limit());
}

TEST(Features, EmulatedCopiesDoNotPay) {
    const Features portable = nvidia(9, 0, "portable");
    EXPECT_TRUE(portable.all(kBulkCopy));
    EXPECT_FALSE(portable.pay(kForwardProgress | kBulkCopy));
    EXPECT_FALSE(portable.pay(kWarpGroups));
    EXPECT_TRUE(portable.pay(kForwardProgress | kShuffle));
    EXPECT_FALSE(portable.pay(kMatrixUnits));
    EXPECT_TRUE(nvidia(9, 0).pay(kForwardProgress | kShuffle | kBulkCopy | kWarpGroups));
    EXPECT_FALSE(amd("gfx90a").pay(kAsyncCopy));
}

} // namespace
