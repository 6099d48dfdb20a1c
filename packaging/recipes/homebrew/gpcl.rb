# SPDX-License-Identifier: MIT
class Gpcl < Formula
  desc "Parallel primitives over OpenCL"
  license "MIT"
  # The repository that this formula lies in; a tap of its own names a release's address here.
  head "file://#{File.expand_path("../../..", __dir__)}", using: :git

  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "opencl-headers" => :build
  depends_on "xxhash" => :build
  depends_on "highway"

  def install
    system "cmake", "-S", ".", "-B", "build/brew", "-G", "Ninja", "-DGPCL_TESTS=OFF", "-DGPCL_HIGHWAY=ON", *std_cmake_args
    system "cmake", "--build", "build/brew"
    system "cmake", "--install", "build/brew"
  end

  test do
    system bin/"gpcl", "selftest", "--device", "host"
  end
end
