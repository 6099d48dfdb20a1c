// NumPy's .npy files: versions 1 to 3, whole files only. Numbers of either byte order are
// read; files are written little-endian.
// SPDX-License-Identifier: MIT
#pragma once

#include <gpcl/gpcl.h>

#include <bit>
#include <cstddef>
#include <string>
#include <vector>

namespace command {

struct Array {
    std::string path; // for messages
    gp_dtype dtype = 0;
    std::vector<size_t> shape;
    bool fortran_order = false;                   // first index runs fastest; false where both orders are the same
    std::endian file_order = std::endian::little; // what the file has; `data` is as this machine has it
    std::vector<std::byte> data;

    size_t size() const; // elements
    std::string shape_text() const;
};

// "-" is standard input, which is read once. Throws Failure with the file's name and what is wrong
// with it.
Array read_npy(const std::string &path);

// What a file's header says, from its text `{'descr': ...}`; fills all but path and data. Throws
// Failure.
void parse_npy_header(const std::string &header, Array &array);

// Writes to a temporary file beside `path`; commit() gives it its name, and without that nothing is
// left. "-" is standard output, which commit() writes; there can be one such.
class NpyOutput {
  public:
    // `inputs`: files that must not be replaced, unless one has exactly this name.
    NpyOutput(const std::string &path, const std::vector<std::string> &inputs);
    NpyOutput(const NpyOutput &) = delete;
    NpyOutput &operator=(const NpyOutput &) = delete;
    ~NpyOutput();

    void write(gp_dtype dtype, const std::vector<size_t> &shape, const void *data);
    void commit();
    const std::string &target() const { return path_; } // with links resolved

  private:
    bool to_standard_output() const { return path_ == "-"; }

    std::string path_, temporary_;
    std::string held_; // what commit() writes to standard output
};

} // namespace command
