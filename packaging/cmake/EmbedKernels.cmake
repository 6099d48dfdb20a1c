# Turns kernels/**/*.cl into byte arrays in one C++ file: no host tool, no limit on their length.
# Run as: cmake -DSOURCE=<kernels folder> -DOUTPUT=<file.cpp> -P EmbedKernels.cmake
file(GLOB_RECURSE files RELATIVE "${SOURCE}" "${SOURCE}/*.cl")
list(SORT files)
set(arrays "")
set(table "")
set(number 0)
foreach(file IN LISTS files)
  file(READ "${SOURCE}/${file}" hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  file(SIZE "${SOURCE}/${file}" size)
  string(APPEND arrays "const unsigned char kFile${number}[] = {${bytes}0};\n")
  string(APPEND table "    {\"${file}\", kFile${number}, ${size}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE "${OUTPUT}.new" "// Generated from kernels/ by EmbedKernels.cmake.
#include \"cl/source.h\"

namespace gpcl::cl {
namespace {
${arrays}} // namespace

const EmbeddedSource kEmbeddedSources[] = {
${table}    {nullptr, nullptr, 0}};

} // namespace gpcl::cl
")
file(COPY_FILE "${OUTPUT}.new" "${OUTPUT}" ONLY_IF_DIFFERENT)
file(REMOVE "${OUTPUT}.new")
