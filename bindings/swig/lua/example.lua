local gpcl = require "gpcl"
local context = gpcl.Context() -- the best device; or "gpu", "cpu", "host"
print(table.concat(context:sort(gpcl.FLOAT32, {3.5, -1, 2.25}), " "))
print(table.concat(context:scan(gpcl.INT32, {1, 2, 3, 4}), " "))
print(table.concat(context:matmul(gpcl.FLOAT64, 2, 2, 2, {1, 2, 3, 4}, {5, 6, 7, 8}), " "))
local options = gpcl.ScanOptions()
options.operator_source, options.operator_identity = "no_such_function(a, b)", "0"
local ok, failure = pcall(context.scan, context, gpcl.FLOAT32, {1, 2}, options)
print("expected error: " .. tostring(failure), failure.build_log)
