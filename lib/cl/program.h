// A built OpenCL program, and a supply of its kernels that threads can share.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/device.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpcl::cl {

// A kernel's parameter as it is declared, such as "global", "float4*" and "x".
struct KernelParameter {
    std::string address, type, name;
};

// What a program of gpcl's own is made of.
struct ProgramKey {
    std::string path;       // of an embedded kernel file, such as "scan/chunks.cl"
    std::string options{};  // -D options
    std::string preamble{}; // text that goes before the file: a caller's operator
    // Kernels of a fixed work-group size take so few registers on an NVIDIA GPU that a compute unit
    // holds so many of their work-groups. 0: the compiler decides.
    size_t groups_per_unit = 0;

    auto
    operator<=>(const ProgramKey &) const = default; // NOLINT(modernize-use-nullptr): of clang-tidy 14's own making
};

// What such a program is built with. It names one version of OpenCL C: PoCL takes the first of
// several for its own part, the last for clang's, and then builds nothing.
std::string build_options(const Device &device, const ProgramKey &key);

class Program : public std::enable_shared_from_this<Program> {
  public:
    // One that was not built, as a plan's stand-in.
    Program() = default;
    // Builds the source, or takes the binary from the cache on disk. Throws GP_ERROR_BUILD with the
    // whole log. `groups_per_unit` is that of a ProgramKey.
    Program(cl_context context, const Device &device, const std::string &source, const std::string &options,
            size_t groups_per_unit = 0);

    // A kernel object that nobody else uses meanwhile (clSetKernelArg is not safe to share);
    // give_back returns it.
    Ref<cl_kernel> take(const std::string &name);
    void give_back(const std::string &name, Ref<cl_kernel> kernel);
    // A kernel object of which no argument was set yet.
    Ref<cl_kernel> create(const std::string &name) const;

    // A kernel's parameters, if the program was built with kTellParameters; none where OpenCL does
    // not tell them.
    std::vector<KernelParameter> parameters(const std::string &kernel) const;
    static constexpr std::string_view kTellParameters = "-cl-kernel-arg-info";

  private:
    bool load(std::string_view binary, cl_context context, const Device &device, const std::string &options);
    std::optional<std::string> binary() const;

    Ref<cl_program> program_;
    std::string parameters_; // a line each: kernel, address space, type and name, with tabs between
    std::mutex mutex_;
    std::map<std::string, std::vector<Ref<cl_kernel>>> idle_;
};

// A kernel on loan from its program.
class Kernel {
  public:
    Kernel(Program &program, std::string name)
        : program_(&program), name_(std::move(name)), kernel_(program.take(name_)) {}
    Kernel(Kernel &&) noexcept = default;
    ~Kernel();
    cl_kernel get() const { return kernel_.get(); }
    const std::string &name() const { return name_; }

  private:
    Program *program_; // which lives on meanwhile
    std::string name_;
    Ref<cl_kernel> kernel_;
};

} // namespace gpcl::cl
