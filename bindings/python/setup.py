"""Builds the extension module, and the C library where it is not installed.

With GPCL_PREFIX the package uses the libgpcl that is installed there, and with GPCL_STATIC=1 too it carries that one inside.
Without, it builds the library of this source tree and carries it inside; outside of a source tree it uses the libgpcl that
pkg-config finds. GPCL_RPATH is the folder where the package looks for a shared libgpcl when it runs, "" leaves that to the
system: what is made into a package does not lie in its place yet.
"""
# SPDX-License-Identifier: MIT
import glob
import os
import re
import shlex
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)


def run(*command):
    print("+", shlex.join(command), flush=True)
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def built():
    """The prefix of the library of this source tree."""
    build = os.path.join(TREE, "build", "python")
    ninja = ["-G", "Ninja"] if any(os.access(os.path.join(p, "ninja"), os.X_OK) for p in os.get_exec_path()) else []
    run("cmake", "-S", TREE, "-B", build, *(ninja if not os.path.exists(build) else []), "-DCMAKE_BUILD_TYPE=Release",
        "-DGPCL_COMMAND=OFF", "-DGPCL_TESTS=OFF", f"-DCMAKE_INSTALL_PREFIX={build}/prefix")
    run("cmake", "--build", build, "--parallel", str(os.cpu_count() or 1))
    run("cmake", "--install", build)
    return os.path.join(build, "prefix")


def library():
    """(the folder of the header, members of a setuptools Extension)."""
    prefix = os.environ.get("GPCL_PREFIX")
    inside = not prefix and os.path.exists(os.path.join(TREE, "include", "gpcl", "gpcl.h"))
    if inside:
        prefix = built()
    if prefix:
        found = glob.glob(os.path.join(glob.escape(os.path.abspath(prefix)), "**", "pkgconfig", "gpcl.pc"), recursive=True)
        if not found:
            sys.exit(f"setup.py: no gpcl.pc below {prefix}; is libgpcl installed there?")
        os.environ["PKG_CONFIG_PATH"] = os.path.dirname(found[0])
    include = run("pkg-config", "--variable=includedir", "gpcl").strip()
    folder = os.path.realpath(run("pkg-config", "--variable=libdir", "gpcl").strip())
    if inside or os.environ.get("GPCL_STATIC"):
        libraries = run("pkg-config", "--static", "--libs-only-l", "gpcl").replace("-lgpcl ", "").split()
        return include, {"extra_objects": [os.path.join(folder, "libgpcl.a")], "define_macros": [("GPCL_STATIC", None)],
                         "extra_link_args": [*libraries, "-Wl,--exclude-libs,ALL"]}
    runtime = os.environ.get("GPCL_RPATH", "" if folder.startswith(("/usr/lib", "/lib")) else folder)
    return include, {"libraries": ["gpcl"], "library_dirs": [folder], "runtime_library_dirs": [runtime] if runtime else []}


class Build(build_ext):
    def build_extension(self, extension):
        from declarations import builder
        include, options = library()
        source = os.path.join(self.build_temp, "_native.c")
        os.makedirs(self.build_temp, exist_ok=True)
        builder(include).emit_c_code(source)
        extension.sources, extension.include_dirs = [source], [include]
        for name, value in options.items():
            setattr(extension, name, value)
        self.force = True  # the library may be another one than last time
        super().build_extension(extension)


def version():
    for include in (os.path.join(TREE, "include"), os.path.join(os.environ.get("GPCL_PREFIX", "/usr"), "include")):
        header = os.path.join(include, "gpcl", "gpcl.h")
        if os.path.exists(header):
            with open(header, encoding="utf-8") as file:
                return ".".join(re.findall(r"^#define GP_VERSION_\w+ (\d+)$", file.read(), re.M))
    return run("pkg-config", "--modversion", "gpcl").strip()


setup(version=version(), cmdclass={"build_ext": Build},
      ext_modules=[Extension("gpcl._native", sources=[], py_limited_api=True)])
