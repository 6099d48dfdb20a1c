"""gpcl for Conan 2. The OpenCL and xxHash headers and Highway are the system's, or, with -o system=False, Conan Center's."""
# SPDX-License-Identifier: MIT
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

TREE = os.path.join("..", "..", "..")


class Gpcl(ConanFile):
    name = "gpcl"
    description = "Parallel primitives over OpenCL"
    license = "MIT"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "system": [True, False]}
    default_options = {"shared": True, "system": True}

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, TREE, "include", "gpcl", "gpcl.h"))
        self.version = ".".join(re.findall(r"^#define GP_VERSION_[A-Z]+ (\d+)$", header, re.M))

    def export_sources(self):
        tree = os.path.join(self.recipe_folder, TREE)
        for pattern in ("CMakeLists.txt", "LICENSE", "include/*", "kernels/*", "lib/*", "packaging/cmake/*"):
            copy(self, pattern, tree, self.export_sources_folder)

    def requirements(self):
        if not self.options.system:
            for each in ("highway/[>=1.0]", "opencl-headers/[>=2022]", "xxhash/[>=0.8]"):
                self.requires(each)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["GPCL_COMMAND"] = False
        toolchain.cache_variables["GPCL_TESTS"] = False
        toolchain.cache_variables["GPCL_STATIC_LIBRARY"] = not self.options.shared
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.libs = ["gpcl"]
        if not self.options.shared:
            self.cpp_info.defines = ["GPCL_STATIC"]
            self.cpp_info.system_libs = ["pthread", "dl", "m", "stdc++"]
