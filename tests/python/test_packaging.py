"""What setup.py makes: source distributions that are whole, and builds that end at once where something is missing."""
# SPDX-License-Identifier: MIT
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

import pytest

pytest.importorskip("setuptools")
ROOT = pathlib.Path(__file__).resolve().parents[2]
BINDING = ROOT / "bindings" / "python"


def setup(*arguments, folder=BINDING, **environment):
    return subprocess.run([sys.executable, "setup.py", "-q", *map(str, arguments)], cwd=folder, text=True, capture_output=True,
                          env={**os.environ, **environment})


def files(folder):
    return {each.relative_to(folder) for each in folder.rglob("*") if each.is_file()}


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """The source distribution, unpacked elsewhere."""
    folder = tmp_path_factory.mktemp("sdist")
    done = setup("egg_info", "--egg-base", folder, "sdist", "--dist-dir", folder)
    assert done.returncode == 0, done.stderr
    archive, = folder.glob("gpcl-*.tar.gz")
    with tarfile.open(archive) as opened:
        opened.extractall(folder / "elsewhere")
    unpacked, = (folder / "elsewhere").iterdir()
    return unpacked


def test_a_source_distribution_is_whole(source):
    for name in ("declarations.py", "setup.py", "pyproject.toml", "README.md", "LICENSE"):
        assert (source / name).read_text() == (BINDING / name).read_text(), name
    assert files(source / "gpcl") == {each for each in files(BINDING / "gpcl") if each.suffix in (".py", ".pyi", ".typed")}
    for folder in ("include", "kernels", "lib", "packaging/cmake"):
        found = files(ROOT / folder)
        assert found and files(source / "library" / folder) == found
        for each in found:
            assert (source / "library" / folder / each).read_bytes() == (ROOT / folder / each).read_bytes(), each


@pytest.mark.skipif(not shutil.which("cmake") or not shutil.which("ninja"), reason="no cmake, or no ninja")
def test_the_library_of_a_source_distribution_is_configured(source, tmp_path):
    done = subprocess.run(["cmake", "-G", "Ninja", "-S", source / "library", "-B", tmp_path, "-DGPCL_COMMAND=OFF",
                           "-DGPCL_TESTS=OFF"],
                          text=True, capture_output=True)
    assert done.returncode == 0, done.stderr


def test_source_distributions_make_source_distributions(source, tmp_path):
    done = setup("egg_info", "--egg-base", tmp_path, "sdist", "--dist-dir", tmp_path, folder=source)
    assert done.returncode == 0, done.stderr
    archive, = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        again = {pathlib.PurePath(*pathlib.PurePath(each.name).parts[1:]) for each in opened.getmembers() if each.isfile()}
    assert again == files(source)


@pytest.mark.parametrize("environment, missing", [
    ({"PATH": "/nonexistent"}, ["cc", "pkg-config", "c++", "cmake"]),
    ({"PATH": "/nonexistent", "GPCL_PREFIX": "/nonexistent"}, ["cc", "pkg-config"]),
    ({"CC": "no-such-compiler -O2"}, ["no-such-compiler"])])
def test_what_is_missing_is_named_at_once(environment, missing, tmp_path):
    environment = {"CC": "cc", "CXX": "c++", **environment}
    done = setup("build_ext", "--build-temp", tmp_path / "temporary", "--build-lib", tmp_path / "lib", **environment)
    assert done.returncode == 1 and done.stdout == "", done.stdout
    assert f"can't build without {', '.join(missing)};" in done.stderr and "install-packages.sh" in done.stderr
    assert "Traceback" not in done.stderr
