using System;
using Gpcl;

static class Example {
    static void Main() {
        using (var context = new Context()) { // the best device; or "gpu", "cpu", "host"
            float[] keys = {3.5f, -1, 2.25f};
            int[] numbers = {1, 2, 3, 4};
            double[] a = {1, 2, 3, 4}, b = {5, 6, 7, 8}, product = new double[4];
            context.Sort(gp.FLOAT32, keys);
            context.Scan(gp.INT32, numbers, numbers);
            context.Matmul(gp.FLOAT64, 2, 2, 2, a, b, product);
            Console.WriteLine(string.Join(" ", keys) + ", " + string.Join(" ", numbers) + ", " + string.Join(" ", product));
            try {
                var options = new ScanOptions {OperatorSource = "no_such_function(a, b)", OperatorIdentity = "0"};
                context.Scan(gp.FLOAT32, keys, keys, options);
            } catch (GpclException error) {
                Console.WriteLine("expected error: " + error.Message + "\n" + error.BuildLog);
            }
        }
    }
}
