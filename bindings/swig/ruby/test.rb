# test.rb CASES: every case as arrays and as packed strings, then what is Ruby's own.
# SPDX-License-Identifier: MIT
require "gpcl"

FORMATS = { "int8" => "c*", "int16" => "s*", "int32" => "l*", "int64" => "q*", "uint8" => "C*", "uint16" => "S*",
            "uint32" => "L*", "uint64" => "Q*", "float32" => "f*", "float64" => "d*" }.freeze
OPTIONS = { "sort" => Gpcl::SortOptions, "sort_pairs" => Gpcl::SortOptions, "argsort" => Gpcl::SortOptions,
            "scan" => Gpcl::ScanOptions, "reduce" => Gpcl::ReduceOptions,
            "histogram" => Gpcl::HistogramOptions, "recurrence" => Gpcl::RecurrenceOptions, "matmul" => Gpcl::MatmulOptions,
            "chain" => Gpcl::SortOptions, "kernel" => Gpcl::SortOptions }.freeze
SPECIAL = { "nan" => Float::NAN, "inf" => Float::INFINITY, "-inf" => -Float::INFINITY }.freeze
OWN = %w[in out values values_out value_type index_type m n k a b bins coefficients initial fails host_fails log source].freeze

def check(good, what)
  raise "not as it should be: #{what}" unless good
end

def dtype(name) = Gpcl.const_get(name.upcase)
def list(text) = text.split(",").map { |word| SPECIAL[word] || Integer(word, exception: false) || Float(word) }

def same(got, type, text)
  got = got.unpack(FORMATS[type]) if got.is_a?(String)
  want = list(text)
  got.size == want.size && got.zip(want).all? { |g, w| g == w || (g.to_f.nan? && w.to_f.nan?) }
end

def option(key, value)
  return Gpcl.const_get(value) if value.match?(/\A[A-Z_]+\z/)
  return value.to_i if value.match?(/\A-?\d+\z/) && !key.start_with?("operator")
  value
end

# The cases that go through a buffer.
def through_buffer(context, operation, type, field, packed, values)
  n = list(field["in"]).size
  buffer = Gpcl::DeviceBuffer.new(context, n * Gpcl.dtype_size(dtype(type)))
  buffer.write(dtype(type), values)
  if operation == "chain"
    context.enqueue_sort(dtype(type), n, buffer, 0)
    context.enqueue_scan(dtype(type), n, buffer, 0, buffer, 0)
  else
    kernel = Gpcl::Kernel.new(context, field["source"].tr("~", " "), "f")
    arguments = Gpcl::Arguments.new
    arguments.add_buffer(buffer)
    arguments.add_real(Gpcl::FLOAT32, 2)
    kernel.enqueue(arguments, n)
  end
  buffer.send(packed ? :read_packed : :read, dtype(type), n)
end

def call(context, operation, type, field, packed)
  options = OPTIONS[operation].new
  field.each { |key, value| options.send("#{key}=", option(key, value)) unless OWN.include?(key) }
  data = ->(text, of) { packed ? list(text).pack(FORMATS[of]) : list(text) }
  case operation
  when "matmul"
    sizes = %w[m n k].map { |key| field[key].to_i }
    context.matmul(dtype(type), *sizes, data[field["a"], type], data[field["b"], type], options)
  when "sort_pairs"
    context.sort_pairs(dtype(type), data[field["in"], type], dtype(field["value_type"]),
                       data[field["values"], field["value_type"]], options)
  when "chain", "kernel"
    through_buffer(context, operation, type, field, packed, data[field["in"], type])
  when "argsort"
    context.argsort(dtype(type), data[field["in"], type], dtype(field["index_type"]), options)
  when "histogram"
    context.histogram(dtype(type), data[field["in"], type], field["bins"].to_i, options)
  when "recurrence"
    context.recurrence(dtype(type), *%w[in coefficients initial].map { |key| data[field[key], type] }, options)
  else
    context.send(operation, dtype(type), data[field["in"], type], options)
  end
end

def run(context, host, line, packed)
  operation, type, *fields = line.split
  field = fields.to_h { |part| part.split("=", 2) }
  fails = host && field["host_fails"] || field["fails"]
  got = call(context, operation, type, field, packed)
  check(!fails, line)
  got = [got] unless operation == "sort_pairs"
  check(same(got[0], field["index_type"] || type, field["out"]), "#{line}: #{got[0]}")
  check(same(got[1], field["value_type"], field["values_out"]), line) if field["values_out"]
rescue Gpcl::Error => error
  check(fails && error.status == Gpcl.const_get(fails), "#{line}: #{error.message}")
  check(!error.message.empty?, line)
  check(host || error.build_log.include?(field["log"] || ""), line)
end

def refused(kind)
  yield
rescue kind
  nil
else
  raise "was not refused with #{kind}"
end

context = Gpcl::Context.new
host = context.describe.selector == "host"
cases = File.readlines(ARGV[0]).grep(/^[a-z]/)
cases.each { |line| [false, true].each { |packed| run(context, host, line, packed) } }

check(context.sort(Gpcl::UINT64, [2**64 - 1, 5]) == [5, 2**64 - 1], "all 64 bits")
check(context.sort(Gpcl::FLOAT32, [1, 0.5]) == [0.5, 1.0], "integers as floats")
keys = [2, 1].pack("l*").freeze
check(context.sort(Gpcl::INT32, keys) == [1, 2].pack("l*") && keys == [2, 1].pack("l*"), "the argument stays as it is")
refused(TypeError) { context.sort(Gpcl::INT32, [1, "two"]) }
refused(TypeError) { context.sort(Gpcl::INT32, nil) }
refused(Gpcl::Error) { context.sort(Gpcl::INT32, "123456") }
refused(Gpcl::Error) { Gpcl::Context.new("no such device") }
check(Gpcl.devices >= 1 && !Gpcl.device(0).name.empty? && !Gpcl.algorithm(Gpcl::SCAN, 0).name.empty?, "lists")
context.close
refused(Gpcl::Error) { context.sort(Gpcl::INT32, [1]) }
puts "#{cases.size} cases passed"
