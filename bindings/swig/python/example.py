from array import array
import gpcl_swig as gpcl
with gpcl.Context() as context:  # the best device; or "gpu", "cpu", "host"
    keys, sums, product = array("f", [3.5, -1, 2.25]), array("i", [0] * 4), array("d", [0] * 4)
    context.sort(gpcl.FLOAT32, keys)
    context.scan(gpcl.INT32, array("i", [1, 2, 3, 4]), sums)
    context.matmul(gpcl.FLOAT64, 2, 2, 2, array("d", [1, 2, 3, 4]), array("d", [5, 6, 7, 8]), product)
    print(keys.tolist(), sums.tolist(), product.tolist())
    options = gpcl.ScanOptions()
    options.operator_source, options.operator_identity = "no_such_function(a, b)", "0"
    try:
        context.scan(gpcl.FLOAT32, keys, keys, options)
    except gpcl.Error as error:
        print("expected error:", error, error.build_log)
