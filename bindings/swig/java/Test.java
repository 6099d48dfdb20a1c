// Test.java CASES: every case on direct buffers, then what is Java's own.
// SPDX-License-Identifier: MIT
import gpcl.*;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.*;
import java.nio.file.*;
import java.util.*;

public class Test {
    static final Set<String> OWN = Set.of("in", "out", "values", "values_out", "value_type", "index_type", "m", "n", "k",
                                          "a", "b", "bins", "coefficients", "initial", "fails", "host_fails", "log",
                                          "source");

    static void check(boolean good, String what) {
        if (!good) throw new AssertionError(what);
    }

    static int constant(String name) throws ReflectiveOperationException {
        return GpclConstants.class.getField(name).getInt(null);
    }

    static int dtype(String name) throws ReflectiveOperationException { return constant(name.toUpperCase()); }

    static String[] words(String text) { return text.isEmpty() ? new String[0] : text.split(","); }

    static double real(String word) {
        switch (word) {
        case "nan": return Double.NaN;
        case "inf": return Double.POSITIVE_INFINITY;
        case "-inf": return Double.NEGATIVE_INFINITY;
        default: return Double.parseDouble(word);
        }
    }

    static ByteBuffer memory(long bytes) { return ByteBuffer.allocateDirect((int) bytes).order(ByteOrder.nativeOrder()); }

    static ByteBuffer data(String type, String text) throws ReflectiveOperationException {
        String[] words = words(text);
        ByteBuffer buffer = memory(words.length * Gpcl.dtypeSize(dtype(type)));
        for (String word : words) {
            if (type.equals("float32")) buffer.putFloat((float) real(word));
            else if (type.equals("float64")) buffer.putDouble(real(word));
            else if (type.endsWith("64")) buffer.putLong(Long.parseLong(word));
            else if (type.endsWith("32")) buffer.putInt((int) Long.parseLong(word));
            else if (type.endsWith("16")) buffer.putShort((short) Integer.parseInt(word));
            else buffer.put((byte) Integer.parseInt(word));
        }
        buffer.flip();
        return buffer;
    }

    /** An options object with the case's fields set; names go from operator_source to setOperatorSource. */
    static Object options(Object options, Map<String, String> field) throws ReflectiveOperationException {
        for (String key : field.keySet()) {
            if (OWN.contains(key)) continue;
            StringBuilder name = new StringBuilder("set");
            for (String part : key.split("_")) name.append(part.substring(0, 1).toUpperCase()).append(part.substring(1));
            for (Method method : options.getClass().getMethods()) {
                if (!method.getName().equals(name.toString())) continue;
                String value = field.get(key);
                Class<?> type = method.getParameterTypes()[0];
                if (type == String.class) method.invoke(options, value);
                else if (type == long.class) method.invoke(options, Long.parseLong(value));
                else method.invoke(options, value.matches("-?[0-9]+") ? Integer.parseInt(value) : constant(value));
            }
        }
        return options;
    }

    /** The cases that go through a buffer. */
    static void throughBuffer(Context context, String operation, int dtype, String source, ByteBuffer in, ByteBuffer out) {
        long n = in.remaining() / Gpcl.dtypeSize(dtype);
        DeviceBuffer buffer = new DeviceBuffer(context, in.remaining());
        buffer.write(dtype, in);
        if (operation.equals("chain")) {
            context.enqueueSort(dtype, n, buffer, 0);
            context.enqueueScan(dtype, n, buffer, 0, buffer, 0);
        } else {
            Kernel kernel = new Kernel(context, source.replace('~', ' '), "f");
            Arguments arguments = new Arguments();
            arguments.addBuffer(buffer);
            arguments.addReal(Gpcl.FLOAT32, 2);
            kernel.enqueue(arguments, n);
        }
        buffer.read(dtype, n, out);
    }

    static ByteBuffer[] call(Context context, String operation, String type, Map<String, String> field, ByteBuffer out)
        throws ReflectiveOperationException {
        int dtype = dtype(type);
        if (operation.equals("matmul")) {
            context.matmul(dtype, Long.parseLong(field.get("m")), Long.parseLong(field.get("n")), Long.parseLong(field.get("k")),
                           data(type, field.get("a")), data(type, field.get("b")), out,
                           (MatmulOptions) options(new MatmulOptions(), field));
            return new ByteBuffer[] {out};
        }
        ByteBuffer in = data(type, field.get("in"));
        switch (operation) {
        case "sort":
            context.sort(dtype, in, (SortOptions) options(new SortOptions(), field));
            return new ByteBuffer[] {in};
        case "sort_pairs":
            ByteBuffer values = data(field.get("value_type"), field.get("values"));
            context.sortPairs(dtype, in, dtype(field.get("value_type")), values, (SortOptions) options(new SortOptions(), field));
            return new ByteBuffer[] {in, values};
        case "argsort":
            context.argsort(dtype, in, dtype(field.get("index_type")), out, (SortOptions) options(new SortOptions(), field));
            break;
        case "scan": context.scan(dtype, in, out, (ScanOptions) options(new ScanOptions(), field)); break;
        case "chain":
        case "kernel": throughBuffer(context, operation, dtype, field.get("source"), in, out); break;
        case "histogram":
            context.histogram(dtype, in, Long.parseLong(field.get("bins")), out, (HistogramOptions) options(new HistogramOptions(), field));
            break;
        case "recurrence":
            context.recurrence(dtype, in, data(type, field.get("coefficients")), data(type, field.get("initial")), out,
                               (RecurrenceOptions) options(new RecurrenceOptions(), field));
            break;
        case "reduce": context.reduce(dtype, in, out, (ReduceOptions) options(new ReduceOptions(), field)); break;
        default: throw new AssertionError("unknown operation " + operation);
        }
        return new ByteBuffer[] {out};
    }

    static void run(Context context, boolean host, String line) throws ReflectiveOperationException {
        String[] parts = line.trim().split(" +");
        String operation = parts[0], type = parts[1];
        Map<String, String> field = new HashMap<>();
        for (int i = 2; i < parts.length; ++i) {
            int equals = parts[i].indexOf('=');
            field.put(parts[i].substring(0, equals), parts[i].substring(equals + 1));
        }
        String fails = host && field.containsKey("host_fails") ? field.get("host_fails") : field.get("fails");
        ByteBuffer wanted = data(field.getOrDefault("index_type", type), field.getOrDefault("out", "0"));
        try {
            ByteBuffer[] got = call(context, operation, type, field, memory(wanted.remaining()));
            check(fails == null, line + ": did not fail");
            // Bit for bit; the NaN that come are the NaN that went in.
            check(got[0].equals(wanted), line);
            check(got.length < 2 || got[1].equals(data(field.get("value_type"), field.get("values_out"))), line);
        } catch (GpclException error) {
            check(fails != null && error.getStatus() == constant(fails), line + ": " + error.getMessage());
            check(!error.getMessage().isEmpty(), line);
            check(host || error.getBuildLog().contains(field.getOrDefault("log", "")), line);
        }
    }

    static void refused(Class<?> kind, Runnable call) {
        try {
            call.run();
        } catch (RuntimeException error) {
            check(kind.isInstance(error), error.toString());
            return;
        }
        throw new AssertionError("was not refused with " + kind);
    }

    public static void main(String[] arguments) throws Exception {
        int passed = 0;
        Context closed;
        try (Context context = new Context()) {
            boolean host = context.describe().getSelector().equals("host");
            for (String line : Files.readAllLines(Path.of(arguments[0]))) {
                if (line.isEmpty() || !Character.isLowerCase(line.charAt(0))) continue;
                run(context, host, line);
                ++passed;
            }
            // Typed views, and a part of one.
            FloatBuffer floats = memory(16).asFloatBuffer();
            floats.put(new float[] {9, 3, 2, 1}).position(1);
            context.sort(Gpcl.FLOAT32, floats);
            check(floats.get(0) == 9 && floats.get(1) == 1 && floats.get(3) == 3, "a part of a buffer");
            refused(IllegalArgumentException.class, () -> context.sort(Gpcl.INT32, IntBuffer.allocate(2)));
            refused(IllegalArgumentException.class, () -> context.sort(Gpcl.INT32, ByteBuffer.allocateDirect(8).asIntBuffer()));
            refused(ReadOnlyBufferException.class, () -> context.sort(Gpcl.INT32, memory(8).asReadOnlyBuffer()));
            refused(NullPointerException.class, () -> context.sort(Gpcl.INT32, null));
            refused(GpclException.class, () -> context.sort(Gpcl.INT32, memory(6)));
            refused(GpclException.class, () -> context.scan(Gpcl.INT32, memory(8), memory(4)));
            closed = context;
        }
        refused(GpclException.class, () -> closed.sort(Gpcl.INT32, memory(8)));
        refused(GpclException.class, () -> new Context("no such device"));
        check(Gpcl.devices() >= 1 && !Gpcl.device(0).getName().isEmpty(), "devices");
        check(!Gpcl.algorithm(Gpcl.SCAN, 0).getName().isEmpty(), "algorithms");
        System.out.println(passed + " cases passed");
    }
}
