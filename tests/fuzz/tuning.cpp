// Tuning files: any bytes are read, values that are written come back, and lines of other devices
// stay.
// SPDX-License-Identifier: MIT
#include "fuzz.h"

#include "core/tuning.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const fuzz::Folder folder;
    static const std::string file = folder / "tuning";
    const std::string content(reinterpret_cast<const char *>(bytes), size);
    fuzz::write_file(file, content);
    const gpcl::TuningValues ours = gpcl::read_tuning(file, "ours"), others = gpcl::read_tuning(file, "others");
    try {
        gpcl::write_tuning(file, "ours", others);
    } catch (const gpcl::Error &error) {
        fuzz::require(error.status == GP_ERROR_FILE, "a file that is no tuning file is refused");
        fuzz::require(ours.empty() && others.empty(), "a refused file has no values");
        fuzz::require(fuzz::read_file(file) == content, "a refused file is left alone");
        return 0;
    }
    fuzz::require(gpcl::read_tuning(file, "ours") == others, "what is written comes back");
    fuzz::require(gpcl::read_tuning(file, "others") == others, "other devices keep their values");
    return 0;
}
