# SPDX-License-Identifier: MIT
import os

from spack.package import *


class Gpcl(CMakePackage):
    """Parallel primitives over OpenCL behind a C interface."""

    # The repository that this recipe lies in; a registry's version names its address here.
    git = "file://" + os.path.abspath(os.path.join(os.path.dirname(__file__), *[".."] * 5))
    license("MIT")
    version("main", branch="main")

    variant("tools", default=True, description="The command gpcl")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("highway")
    depends_on("opencl-c-headers", type="build")
    depends_on("xxhash", type="build")
    depends_on("cli11", type="build", when="+tools")
    depends_on("nlohmann-json", type="build", when="+tools")

    def cmake_args(self):
        return [self.define("GPCL_TESTS", False), self.define("GPCL_HIGHWAY", True),
                self.define_from_variant("GPCL_COMMAND", "tools")]

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def selftest(self):
        if "+tools" in self.spec:
            Executable(self.prefix.bin.gpcl)("selftest", "--device", "host")
