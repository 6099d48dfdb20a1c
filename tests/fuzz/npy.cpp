// Files of NumPy that the command reads: any bytes are an array or a failure with a text, and an
// array that is written comes back.
// SPDX-License-Identifier: MIT
#include "fuzz.h"

#include "npy.h"
#include "support.h"

namespace {

bool are_same(const command::Array &a, const command::Array &b) {
    return a.dtype == b.dtype && a.shape == b.shape && a.data == b.data;
}

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const fuzz::Folder folder;
    static const std::string file = folder / "array.npy", copy = folder / "copy.npy";
    fuzz::write_file(file, {reinterpret_cast<const char *>(bytes), size});
    try {
        const command::Array array = command::read_npy(file);
        fuzz::require(array.data.size() == array.size() * gp_dtype_size(array.dtype), "the data fill the shape");
        if (array.fortran_order) return 0;
        command::NpyOutput output(copy, {});
        output.write(array.dtype, array.shape, array.data.data());
        output.commit();
        fuzz::require(are_same(array, command::read_npy(copy)), "what is written comes back");
    } catch (const command::Failure &failure) {
        fuzz::require(std::strlen(failure.what()) > file.size(), "a failure says why");
    }
    return 0;
}
