require "gpcl"
context = Gpcl::Context.new # the best device; or "gpu", "cpu", "host"
p context.sort(Gpcl::FLOAT32, [3.5, -1, 2.25])
p context.scan(Gpcl::INT32, [1, 2, 3, 4])
p context.matmul(Gpcl::FLOAT64, 2, 2, 2, [1, 2, 3, 4], [5, 6, 7, 8])
options = Gpcl::ScanOptions.new
options.operator_source, options.operator_identity = "no_such_function(a, b)", "0"
begin
  context.scan(Gpcl::FLOAT32, [1, 2], options)
rescue Gpcl::Error => error
  puts "expected error: #{error.message}", error.build_log
end
