const assert = require("assert");
const gpcl = require("gpcl");
const context = new gpcl.Context(); // the best device; or "gpu", "cpu", "host"
const keys = Float32Array.of(3.5, -1, 2.25), sums = new Int32Array(4), product = new Float64Array(4);
context.sort(gpcl.FLOAT32, keys);
context.scan(gpcl.INT32, Int32Array.of(1, 2, 3, 4), sums);
context.matmul(gpcl.FLOAT64, 2, 2, 2, Float64Array.of(1, 2, 3, 4), Float64Array.of(5, 6, 7, 8), product);
console.log(keys, sums, product);
assert.deepEqual([[...keys], [...sums], [...product]], [[-1, 2.25, 3.5], [1, 3, 6, 10], [19, 22, 43, 50]]);
const options = new gpcl.ScanOptions();
options.operator_source = "no_such_function(a, b)";
options.operator_identity = "0";
assert.throws(() => context.scan(gpcl.FLOAT32, keys, keys, options), (error) => {
    console.log("expected error:", error.message, error.buildLog);
    return [gpcl.ERROR_BUILD, gpcl.ERROR_UNSUPPORTED_DEVICE].includes(error.status);
});
