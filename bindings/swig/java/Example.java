import gpcl.*;
import java.nio.*;

public class Example {
    static FloatBuffer floats(float... values) {
        return ByteBuffer.allocateDirect(4 * values.length).order(ByteOrder.nativeOrder()).asFloatBuffer().put(values).flip();
    }
    static String text(FloatBuffer buffer) { float[] values = new float[buffer.limit()]; buffer.get(0, values); return java.util.Arrays.toString(values); }

    public static void main(String[] arguments) {
        try (Context context = new Context()) { // the best device; or "gpu", "cpu", "host"
            FloatBuffer keys = floats(3.5f, -1, 2.25f), sums = floats(0, 0, 0, 0), product = floats(0, 0, 0, 0);
            context.sort(Gpcl.FLOAT32, keys);
            context.scan(Gpcl.FLOAT32, floats(1, 2, 3, 4), sums);
            context.matmul(Gpcl.FLOAT32, 2, 2, 2, floats(1, 2, 3, 4), floats(5, 6, 7, 8), product);
            System.out.println(text(keys) + " " + text(sums) + " " + text(product));
            ScanOptions options = new ScanOptions();
            options.setOperatorSource("no_such_function(a, b)");
            options.setOperatorIdentity("0");
            try {
                context.scan(Gpcl.FLOAT32, keys, keys, options);
            } catch (GpclException error) {
                System.out.println("expected error: " + error.getMessage() + "\n" + error.getBuildLog());
            }
        }
    }
}
