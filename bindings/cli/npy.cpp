// NumPy's .npy files; see npy.h. Format:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
// SPDX-License-Identifier: MIT
#include "npy.h"

#include "support.h"
#include "system.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <unistd.h>
#include <utility>

namespace command {

namespace fs = std::filesystem;

namespace {

constexpr char kMagic[] = "\x93"
                          "NUMPY";

struct Descr {
    const char *text;
    gp_dtype dtype;
};

constexpr Descr kDescrs[] = {{"|i1", GP_INT8},    {"<i2", GP_INT16},   {"<i4", GP_INT32},   {"<i8", GP_INT64},
                             {"|u1", GP_UINT8},   {"<u2", GP_UINT16},  {"<u4", GP_UINT32},  {"<u8", GP_UINT64},
                             {"<f2", GP_FLOAT16}, {"<f4", GP_FLOAT32}, {"<f8", GP_FLOAT64}, {"<V2", GP_BFLOAT16},
                             {"|V2", GP_BFLOAT16}}; // as ml_dtypes are saved

// Text from a file, fit for a message of one line.
std::string printable(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return "'" + text.substr(0, 40) + "'";
}

gp_dtype dtype_of_descr(const std::string &descr) {
    for (const auto &known : kDescrs) {
        if (descr == known.text) return known.dtype;
        if (descr.empty() || known.dtype == GP_BFLOAT16) continue; // NumPy never turns round bytes of "V"
        const bool is_byte = gp_dtype_size(known.dtype) == 1;
        if (descr.compare(1, std::string::npos, known.text + 1) == 0 &&
            (descr[0] == '>' || (descr[0] == '<' && is_byte)))
            return known.dtype;
    }
    if (descr.find('O') != std::string::npos)
        throw Failure("holds Python objects (" + printable(descr) + "), not numbers");
    throw Failure("holds elements of type " + printable(descr) +
                  "; int8 to int64, uint8 to uint64, float16 to float64 and bfloat16 are read");
}

// A reader of the few Python literals that a header consists of.
class Literal {
  public:
    explicit Literal(const std::string &text) : text_(text) {}

    void skip() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    }

    bool accept(char c) {
        skip();
        if (at_ == text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }

    void expect(char c) {
        if (!accept(c)) bad(std::string("'") + c + "'");
    }

    std::string string() {
        const char quote = accept('\'') ? '\'' : accept('"') ? '"' : '\0';
        if (!quote) bad("a string");
        const auto end = text_.find(quote, at_);
        if (end == std::string::npos) bad("the end of a string");
        auto value = text_.substr(at_, end - at_);
        at_ = end + 1;
        return value;
    }

    bool boolean() {
        skip();
        for (const std::string word : {"True", "False"}) {
            if (text_.compare(at_, word.size(), word) != 0) continue;
            at_ += word.size();
            return word == "True";
        }
        bad("True or False");
    }

    std::vector<size_t> tuple() {
        std::vector<size_t> values;
        expect('(');
        while (!accept(')')) {
            size_t value = 0;
            skip();
            const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
            if (error != std::errc()) bad("a size");
            at_ = static_cast<size_t>(end - text_.data());
            values.push_back(value);
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
        return values;
    }

    void end() {
        skip();
        if (at_ != text_.size()) bad("its end");
    }

  private:
    [[noreturn]] void bad(const std::string &expected) const {
        throw Failure("is not a good .npy file: its header should have " + expected + " at character " +
                      std::to_string(at_ + 1));
    }

    const std::string &text_;
    size_t at_ = 0;
};

size_t product(const std::vector<size_t> &shape, size_t factor) {
    // A zero anywhere makes the product zero, however large the others are.
    if (std::find(shape.begin(), shape.end(), size_t{0}) != shape.end()) return 0;
    for (const auto n : shape)
        if (__builtin_mul_overflow(factor, n, &factor)) throw Failure("has a shape that no memory could hold");
    return factor;
}

void turn_round(void *elements, size_t bytes, size_t element_bytes) {
    auto *const first = static_cast<std::byte *>(elements);
    for (size_t at = 0; at < bytes; at += element_bytes) std::reverse(first + at, first + at + element_bytes);
}

// Little-endian, as all numbers before the data are.
template <typename T> T read_number(std::istream &file) {
    std::array<char, sizeof(T)> bytes{};
    file.read(bytes.data(), bytes.size());
    if (std::endian::native == std::endian::big) std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<T>(bytes);
}

void read_header(Array &array, std::istream &file, uintmax_t most_bytes) {
    char magic[6] = {};
    file.read(magic, sizeof magic);
    if (!file || std::memcmp(magic, kMagic, sizeof magic) != 0) throw Failure("is not a .npy file");
    const auto version = read_number<uint8_t>(file);
    read_number<uint8_t>(file);
    if (file && (version < 1 || version > 3))
        throw Failure("is a .npy file of version " + std::to_string(version) + "; versions 1 to 3 are read");
    const size_t length = version == 1 ? read_number<uint16_t>(file) : read_number<uint32_t>(file);
    if (!file || length > most_bytes) throw Failure("is truncated: it ends within its header");
    std::string header(length, '\0');
    if (!file.read(header.data(), static_cast<std::streamsize>(length)))
        throw Failure("is truncated: it ends within its header");
    parse_npy_header(header, array);
}

[[noreturn]] void wrong_length(const Array &array, size_t promised, bool less, const std::string &there) {
    throw Failure(std::string(less ? "is truncated" : "is too long") + ": shape " + array.shape_text() + " of " +
                  gp_dtype_name(array.dtype) + " takes " + std::to_string(promised) + " bytes, after the header come " +
                  there);
}

constexpr size_t kStep = size_t{1} << 26; // bytes that are read or written between two reports

// Reads the array's data up to `promised` bytes; returns how many came. Memory grows with what
// comes where `grows`, so that it is not what the header promises.
size_t read_data(Array &array, std::istream &in, size_t promised, bool grows) {
    Progress progress;
    if (!grows) array.data.resize(promised);
    size_t there = 0;
    while (there < promised && in) {
        progress.show_part("reading " + array.path, there, promised);
        const size_t wanted = std::min(kStep, promised - there);
        if (grows) array.data.resize(there + wanted);
        in.read(reinterpret_cast<char *>(array.data.data() + there), static_cast<std::streamsize>(wanted));
        there += static_cast<size_t>(in.gcount());
    }
    if (there == promised && array.file_order != std::endian::native)
        turn_round(array.data.data(), promised, gp_dtype_size(array.dtype));
    return there;
}

void read_file(Array &array) {
    std::error_code error;
    const auto kind = fs::status(array.path, error).type();
    if (kind == fs::file_type::not_found) throw Failure("there is no such file");
    if (kind != fs::file_type::regular) throw Failure("is not a regular file");
    const auto file_bytes = fs::file_size(array.path);
    std::ifstream file(array.path, std::ios::binary);
    if (!file) throw Failure(std::string("can't be opened: ") + std::strerror(errno));
    read_header(array, file, file_bytes);
    const auto there = file_bytes - static_cast<uintmax_t>(file.tellg());
    const auto promised = product(array.shape, gp_dtype_size(array.dtype));
    if (there != promised) wrong_length(array, promised, there < promised, std::to_string(there));
    if (read_data(array, file, promised, false) != promised)
        throw Failure(std::string("can't be read: ") + std::strerror(errno));
}

void read_standard_input(Array &array) {
    static bool was_read = false;
    if (std::exchange(was_read, true)) throw Failure("stands for two arrays; standard input holds one");
    constexpr size_t kMostHeader = size_t{1} << 20;
    make_binary(stdin);
    std::istream &in = std::cin;
    read_header(array, in, kMostHeader);
    const auto promised = product(array.shape, gp_dtype_size(array.dtype));
    const auto there = read_data(array, in, promised, true);
    if (there != promised) wrong_length(array, promised, true, std::to_string(there));
    if (in.peek() != std::istream::traits_type::eof()) wrong_length(array, promised, false, "more");
}

} // namespace

size_t Array::size() const { return product(shape, 1); }

std::string Array::shape_text() const {
    std::string text = "(";
    for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
    return text + (shape.size() == 1 ? ",)" : ")");
}

void parse_npy_header(const std::string &header, Array &array) {
    Literal literal(header);
    bool descr = false, order = false, shape = false;
    literal.expect('{');
    while (!literal.accept('}')) {
        const auto key = literal.string();
        literal.expect(':');
        if (key == "descr") {
            if (literal.accept('[')) throw Failure("is a structured array; give its fields as arrays of their own");
            const auto text = literal.string();
            array.dtype = dtype_of_descr(text);
            array.file_order = text[0] == '>' ? std::endian::big : std::endian::little;
            descr = true;
        } else if (key == "fortran_order") {
            array.fortran_order = literal.boolean();
            order = true;
        } else if (key == "shape") {
            array.shape = literal.tuple();
            shape = true;
        } else {
            throw Failure("is not a good .npy file: its header has an unknown entry " + printable(key));
        }
        if (!literal.accept(',')) {
            literal.expect('}');
            break;
        }
    }
    literal.end();
    if (!descr || !order || !shape)
        throw Failure("is not a good .npy file: its header lacks 'descr', 'fortran_order' or 'shape'");
    const auto longer_than_one = std::count_if(array.shape.begin(), array.shape.end(), [](size_t n) { return n != 1; });
    if (longer_than_one <= 1) array.fortran_order = false;
}

Array read_npy(const std::string &path) {
    Array array;
    array.path = path;
    const bool standard = path == "-";
    if (standard) array.path = "standard input";
    const Progress progress("reading " + array.path);
    try {
        if (standard)
            read_standard_input(array);
        else
            read_file(array);
    } catch (const std::bad_alloc &) {
        throw Failure(array.path + ": does not fit into memory");
    } catch (const std::exception &error) {
        throw Failure(array.path + ": " + error.what());
    }
    return array;
}

NpyOutput::NpyOutput(const std::string &path, const std::vector<std::string> &inputs) : path_(path) {
    if (to_standard_output()) {
        static bool is_taken = false;
        if (std::exchange(is_taken, true)) throw Failure("-: stands for two arrays; standard output takes one");
        if (isatty(STDOUT_FILENO) != 0)
            throw Failure("-: standard output is a terminal; name a file, or send it to a program or a file");
        return;
    }
    const fs::path target = output_file(path); // before the work is done
    std::error_code error;
    for (const auto &input : inputs)
        if (input != path && fs::equivalent(input, target, error))
            throw Failure(path + ": is the same file as " + input + "; nothing was written");
    path_ = target.string();
    temporary_ = path_ + ".part" + std::to_string(getpid());
}

NpyOutput::~NpyOutput() {
    std::error_code error;
    if (!temporary_.empty()) fs::remove(temporary_, error);
}

void NpyOutput::write(gp_dtype dtype, const std::vector<size_t> &shape, const void *data) {
    Progress progress;
    Array array;
    array.shape = shape;
    const auto descr = std::find_if(std::begin(kDescrs), std::end(kDescrs), [&](auto &d) { return d.dtype == dtype; });
    std::string header =
        std::string("{'descr': '") + descr->text + "', 'fortran_order': False, 'shape': " + array.shape_text() + ", }";
    header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10 - 1, ' '); // the data begins at a multiple of 64 bytes
    header += '\n';
    const size_t length = header.size();
    const char length_bytes[] = {static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};

    std::ofstream named;
    std::ostringstream held;
    if (!to_standard_output()) named.open(temporary_, std::ios::binary);
    std::ostream &file = to_standard_output() ? static_cast<std::ostream &>(held) : named;
    file.write(kMagic, 6).write("\1\0", 2).write(length_bytes, 2);
    file.write(header.data(), static_cast<std::streamsize>(header.size()));
    const auto bytes = product(shape, gp_dtype_size(dtype));
    std::vector<char> turned;
    for (size_t at = 0; at < bytes && file; at += kStep) {
        progress.show_part("writing " + (to_standard_output() ? "standard output" : path_), at, bytes);
        const char *part = static_cast<const char *>(data) + at;
        const size_t part_bytes = std::min(kStep, bytes - at);
        if (std::endian::native == std::endian::big) {
            turned.assign(part, part + part_bytes);
            turn_round(turned.data(), part_bytes, gp_dtype_size(dtype));
            part = turned.data();
        }
        file.write(part, static_cast<std::streamsize>(part_bytes));
    }
    if (to_standard_output()) {
        held_ = std::move(held).str();
        return;
    }
    named.close();
    if (!named) throw Failure(path_ + ": can't be written: " + std::strerror(errno));
}

void NpyOutput::commit() {
    if (to_standard_output()) {
        make_binary(stdout);
        const bool written = std::fwrite(held_.data(), 1, held_.size(), stdout) == held_.size();
        if (!written || std::fflush(stdout) != 0)
            throw Failure(std::string("standard output: can't be written: ") + std::strerror(errno));
        return;
    }
    std::error_code error;
    const auto old = fs::status(path_, error);
    if (fs::is_regular_file(old)) fs::permissions(temporary_, old.permissions(), error);
    fs::rename(temporary_, path_, error);
    if (error) throw Failure(path_ + ": can't be written: " + error.message());
    temporary_.clear();
}

} // namespace command
