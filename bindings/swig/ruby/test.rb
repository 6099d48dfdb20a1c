# test.rb CASES: every case as arrays and as packed strings, then what is Ruby's own.
# SPDX-License-Identifier: MIT
require "gpcl"

FORMATS = { "int8" => "c*", "int16" => "s*", "int32" => "l*", "int64" => "q*", "uint8" => "C*", "uint16" => "S*",
            "uint32" => "L*", "uint64" => "Q*", "float32" => "f*", "float64" => "d*" }.freeze
OPTIONS = { "scan" => Gpcl::ScanOptions, "reduce" => Gpcl::ReduceOptions, "histogram" => Gpcl::HistogramOptions,
            "recurrence" => Gpcl::RecurrenceOptions, "recurrence_varying" => Gpcl::RecurrenceOptions, "matmul" => Gpcl::MatmulOptions }.freeze
BUFFERS_ALONE = %w[chain kernel map times].freeze
SPECIAL = { "nan" => Float::NAN, "inf" => Float::INFINITY, "-inf" => -Float::INFINITY }.freeze
OWN = %w[in out values values_out value_type index_type m n k a b c bins coefficients initial fails host_fails log source
         access profile].freeze

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
  return SPECIAL[value] || value.to_f if %w[alpha beta].include?(key)
  return value.to_i if value.match?(/\A-?\d+\z/) && !key.start_with?("operator")
  value
end

def options_of(operation, field)
  options = OPTIONS.fetch(operation, Gpcl::SortOptions).new
  field.each { |key, value| options.send("#{key}=", option(key, value)) unless OWN.include?(key) }
  options
end

def call(context, operation, type, field, packed)
  options = options_of(operation, field)
  data = ->(text, of = type) { packed ? list(text).pack(FORMATS[of]) : list(text) }
  if operation == "matmul"
    sizes = %w[m n k].map { |key| field[key].to_i }
    a, b = data[field["a"]], data[field["b"]]
    return context.matmul(dtype(type), *sizes, a, b, options) unless field["c"]
    return context.matmul_into(dtype(type), *sizes, a, b, data[field["c"]], options)
  end
  given = data[field["in"]]
  case operation
  when "sort_pairs"
    context.sort_pairs(dtype(type), given, dtype(field["value_type"]), data[field["values"], field["value_type"]], options)
  when "argsort"
    context.argsort(dtype(type), given, dtype(field["index_type"]), options)
  when "histogram"
    context.histogram(dtype(type), given, field["bins"].to_i, options)
  when "recurrence", "recurrence_varying"
    context.send(operation, dtype(type), given, data[field["coefficients"]], data[field["initial"]], options)
  else
    context.send(operation, dtype(type), given, options)
  end
end

# The same in the device's memory.
def through_buffers(context, operation, type, field, packed)
  options, kind, event, second = options_of(operation, field), dtype(type), Gpcl::Event.new, nil
  data = ->(text, of = type) { packed ? list(text).pack(FORMATS[of]) : list(text) }
  there = lambda do |text, of = type|
    buffer = Gpcl::DeviceBuffer.new(context, list(text).size * Gpcl.dtype_size(dtype(of)))
    buffer.write(dtype(of), data[text, of])
    buffer
  end
  read = ->(from, of, n) { from.send(packed ? :read_packed : :read, dtype(of), n) }
  out_type, count = field["index_type"] || type, list(field["out"]).size
  result = Gpcl::DeviceBuffer.new(context, count * Gpcl.dtype_size(dtype(out_type)))
  if operation == "matmul"
    m, n, k = %w[m n k].map { |key| field[key].to_i }
    leading = lambda do |rows, columns, transpose|
      (field["layout"] == "COLUMN_MAJOR") != (field[transpose] == "TRANSPOSE") ? rows : columns
    end
    result = there[field["c"]] if field["c"]
    context.enqueue_matmul(kind, m, n, k, there[field["a"]], 0, leading[m, k, "transpose_a"], there[field["b"]], 0,
                           leading[k, n, "transpose_b"], result, 0, leading[m, n, ""], options, event)
  elsif operation == "map"
    filled = Gpcl::DeviceBuffer.new(context, result.bytes)
    filled.fill(kind, count, data[field["in"]])
    filled.copy_to(result, result.bytes, 0, 0, event)
    access = field["access"]
    mapping = Gpcl::Mapping.new(result, access.match?(/\d/) ? access.to_i : Gpcl.const_get(access))
    mapping.write(kind, data[field["values"]], 1) unless field["values"].empty?
    second = read[mapping, type, count]
    mapping.release
  else
    given, n = there[field["in"]], list(field["in"]).size
    case operation
    when "sort"
      context.enqueue_sort(kind, n, given, 0, options, event)
    when "sort_pairs"
      values = there[field["values"], field["value_type"]]
      context.enqueue_sort_pairs(kind, n, given, 0, Gpcl.dtype_size(dtype(field["value_type"])), values, 0, options, event)
      second = read[values, field["value_type"], n]
    when "argsort"
      context.enqueue_argsort(kind, n, given, 0, dtype(field["index_type"]), result, 0, options, event)
    when "histogram"
      context.enqueue_histogram(kind, n, given, 0, field["bins"].to_i, result, 0, options, event)
    when "recurrence"
      context.enqueue_recurrence(kind, n / (field["batch"] || 1).to_i, given, 0, result, 0, data[field["coefficients"]],
                                 data[field["initial"]], options, event)
    when "recurrence_varying"
      context.enqueue_recurrence_varying(kind, n / (field["batch"] || 1).to_i, there[field["coefficients"]], 0, given, 0, result,
                                         0, data[field["initial"]], options, event)
    when "chain"
      context.enqueue_sort(kind, n, given, 0)
      context.enqueue_scan(kind, n, given, 0, result, 0, nil, event)
    when "kernel"
      kernel, arguments = Gpcl::Kernel.new(context, field["source"].tr("~", " "), "f"), Gpcl::Arguments.new
      arguments.add_buffer(given)
      arguments.add_real(Gpcl::FLOAT32, 2)
      kernel.enqueue(arguments, n, 1, 1, 0, 1, 1, event)
    when "times"
      on_host = Gpcl::Event.new
      context.profile(field["profile"] == "1")
      second = context.sort(kind, data[field["in"]], nil, on_host)
      context.enqueue_sort(kind, n, given, 0, nil, event)
      context.profile(false)
      [on_host, event].each do |each|
        commands = each.timing.commands
        check(commands.positive? && (0...commands).none? { |i| each.command(i).name.empty? }, "commands")
      end
    else
      context.send("enqueue_#{operation}", kind, n, given, 0, result, 0, options, event)
    end
    result = given if %w[sort sort_pairs kernel times].include?(operation)
  end
  event.finish
  check(event.done, "not done")
  [read[result, out_type, count], second]
end

def run(context, host, line, packed)
  operation, type, *fields = line.split
  field = fields.to_h { |part| part.split("=", 2) }
  fails = host && field["host_fails"] || field["fails"]
  (BUFFERS_ALONE.include?(operation) ? [:through_buffers] : %i[call through_buffers]).each do |way|
    got = send(way, context, operation, type, field, packed)
    check(!fails, line)
    got = [got, nil] if way == :call && operation != "sort_pairs"
    check(same(got[0], field["index_type"] || type, field["out"]), "#{line}: #{got[0]}")
    check(same(got[1], field["value_type"] || type, field["values_out"] || field["out"]), line) if got[1]
  rescue Gpcl::Error => error
    check(fails && error.status == Gpcl.const_get(fails), "#{line}: #{error.message}")
    check(!error.message.empty?, line)
    check(host || error.build_log.include?(field["log"] || ""), line)
  end
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
