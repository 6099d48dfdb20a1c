"""Builds the extension module, and the C library where it is not installed.

With GPCL_PREFIX the package uses the libgpcl that is installed there, and with GPCL_STATIC=1 too it
carries that one inside. Without, it builds the library of this source tree and carries it inside;
outside of a source tree it uses the libgpcl that pkg-config finds. GPCL_RPATH is the folder where
the package looks for a shared libgpcl when it runs, "" leaves that to the system: what is made into
a package does not lie in its place yet. A source distribution has the library's sources in it.
"""
# SPDX-License-Identifier: MIT
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

HERE = os.path.dirname(os.path.abspath(__file__))
INSIDE = os.path.join(HERE, "library")  # where a source distribution has the tree
TREE = INSIDE if os.path.exists(INSIDE) else os.path.dirname(os.path.dirname(HERE))
IN_TREE = all(os.path.exists(os.path.join(TREE, each)) for each in ("CMakeLists.txt", "include/gpcl/gpcl.h"))
LIBRARY = ("CMakeLists.txt", "LICENSE", "include", "kernels", "lib", "packaging/cmake", "packaging/packages.txt",
           "packaging/install-packages.sh")
HINT = "on Debian 12, packaging/install-packages.sh build python installs what is needed"
sys.path.insert(0, HERE)


def run(*command):
    print("+", shlex.join(command), flush=True)
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    except FileNotFoundError:
        sys.exit(f"setup.py: there is no {command[0]}; {HINT}")
    if done.returncode:
        sys.exit(f"{done.stdout}setup.py: {command[0]} failed, as it says above; {HINT}")
    return done.stdout


def require_tools(builds_library):
    """Ends the build at once where something is missing that would be noticed after minutes."""
    tools = [shlex.split(os.environ.get("CC", "cc"))[0], "pkg-config"]
    if builds_library:
        tools += [shlex.split(os.environ.get("CXX", "c++"))[0], "cmake"]
    missing = [each for each in tools if not shutil.which(each)]
    header = os.path.join(sysconfig.get_path("include"), "Python.h")
    missing += [header] * (not os.path.exists(header))
    if missing:
        sys.exit(f"setup.py: can't build without {', '.join(missing)}; {HINT}")


def built():
    """The prefix of the library of this source tree."""
    build = os.path.join(TREE, "build", "python")
    ninja = ["-G", "Ninja"] if shutil.which("ninja") else []
    run("cmake", "-S", TREE, "-B", build, *(ninja if not os.path.exists(build) else []), "-DCMAKE_BUILD_TYPE=Release",
        "-DGPCL_COMMAND=OFF", "-DGPCL_TESTS=OFF", f"-DCMAKE_INSTALL_PREFIX={build}/prefix")
    run("cmake", "--build", build, "--parallel", str(os.cpu_count() or 1))
    run("cmake", "--install", build)
    return os.path.join(build, "prefix")


def library():
    """(the folder of the header, members of a setuptools Extension)."""
    prefix = os.environ.get("GPCL_PREFIX")
    inside = not prefix and IN_TREE
    require_tools(inside)
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


class Source(sdist):
    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        if not IN_TREE:
            sys.exit("setup.py: a source distribution is made in gpcl's source tree, whose C sources go into it")
        for name in LIBRARY:
            source, target = (os.path.join(folder, name) for folder in (TREE, os.path.join(base_dir, "library")))
            os.makedirs(os.path.dirname(target), exist_ok=True)
            (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, target)


def version():
    for include in (os.path.join(TREE, "include"), os.path.join(os.environ.get("GPCL_PREFIX", "/usr"), "include")):
        header = os.path.join(include, "gpcl", "gpcl.h")
        if os.path.exists(header):
            with open(header, encoding="utf-8") as file:
                return ".".join(re.findall(r"^#define GP_VERSION_\w+ (\d+)$", file.read(), re.M))
    return run("pkg-config", "--modversion", "gpcl").strip()


setup(version=version(), cmdclass={"build_ext": Build, "sdist": Source},
      ext_modules=[Extension("gpcl._native", sources=[], py_limited_api=True)])
