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
                                          "a", "b", "c", "bins", "coefficients", "initial", "fails", "host_fails", "log",
                                          "source", "access", "profile");
    static final Set<String> BUFFERS_ALONE = Set.of("chain", "kernel", "map", "times");

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
                else if (type == double.class) method.invoke(options, real(value));
                else method.invoke(options, value.matches("-?[0-9]+") ? Integer.parseInt(value) : constant(value));
            }
        }
        return options;
    }

    static Object optionsOf(String operation, Map<String, String> field) throws ReflectiveOperationException {
        switch (operation) {
        case "matmul": return options(new MatmulOptions(), field);
        case "scan": return options(new ScanOptions(), field);
        case "reduce": return options(new ReduceOptions(), field);
        case "histogram": return options(new HistogramOptions(), field);
        case "recurrence":
        case "recurrence_varying": return options(new RecurrenceOptions(), field);
        default: return options(new SortOptions(), field);
        }
    }

    static long number(Map<String, String> field, String key) { return Long.parseLong(field.get(key)); }

    static ByteBuffer[] call(Context context, String operation, String type, Map<String, String> field, ByteBuffer out)
        throws ReflectiveOperationException {
        int dtype = dtype(type);
        Object options = optionsOf(operation, field);
        if (operation.equals("matmul")) {
            long m = number(field, "m"), n = number(field, "n"), k = number(field, "k");
            ByteBuffer a = data(type, field.get("a")), b = data(type, field.get("b"));
            if (!field.containsKey("c")) {
                context.matmul(dtype, m, n, k, a, b, out, (MatmulOptions) options);
                return new ByteBuffer[] {out};
            }
            ByteBuffer c = data(type, field.get("c"));
            context.matmulInto(dtype, m, n, k, a, b, c, (MatmulOptions) options);
            return new ByteBuffer[] {c};
        }
        ByteBuffer in = data(type, field.get("in"));
        switch (operation) {
        case "sort": context.sort(dtype, in, (SortOptions) options); return new ByteBuffer[] {in};
        case "sort_pairs":
            ByteBuffer values = data(field.get("value_type"), field.get("values"));
            context.sortPairs(dtype, in, dtype(field.get("value_type")), values, (SortOptions) options);
            return new ByteBuffer[] {in, values};
        case "argsort": context.argsort(dtype, in, dtype(field.get("index_type")), out, (SortOptions) options); break;
        case "scan": context.scan(dtype, in, out, (ScanOptions) options); break;
        case "reduce": context.reduce(dtype, in, out, (ReduceOptions) options); break;
        case "histogram": context.histogram(dtype, in, number(field, "bins"), out, (HistogramOptions) options); break;
        case "recurrence":
            context.recurrence(dtype, in, data(type, field.get("coefficients")), data(type, field.get("initial")), out,
                               (RecurrenceOptions) options);
            break;
        case "recurrence_varying":
            context.recurrenceVarying(dtype, in, data(type, field.get("coefficients")), data(type, field.get("initial")), out,
                                      (RecurrenceOptions) options);
            break;
        default: throw new AssertionError("unknown operation " + operation);
        }
        return new ByteBuffer[] {out};
    }

    static DeviceBuffer there(Context context, String type, String text) throws ReflectiveOperationException {
        ByteBuffer elements = data(type, text);
        DeviceBuffer buffer = new DeviceBuffer(context, elements.remaining());
        buffer.write(dtype(type), elements);
        return buffer;
    }

    static ByteBuffer read(DeviceBuffer buffer, String type, ByteBuffer out) throws ReflectiveOperationException {
        buffer.read(dtype(type), out.remaining() / Gpcl.dtypeSize(dtype(type)), out);
        return out;
    }

    static long leading(Map<String, String> field, String transpose, long rows, long columns) {
        boolean column = "COLUMN_MAJOR".equals(field.get("layout"));
        return column != "TRANSPOSE".equals(field.get(transpose)) ? rows : columns;
    }

    /** The same in the device's memory. */
    static ByteBuffer[] throughBuffers(Context context, String operation, String type, Map<String, String> field, ByteBuffer out)
        throws ReflectiveOperationException {
        int dtype = dtype(type);
        Object options = optionsOf(operation, field);
        Event event = new Event();
        DeviceBuffer result = new DeviceBuffer(context, out.remaining());
        ByteBuffer second = null;
        if (operation.equals("matmul")) {
            long m = number(field, "m"), n = number(field, "n"), k = number(field, "k");
            if (field.containsKey("c")) result = there(context, type, field.get("c"));
            context.enqueueMatmul(dtype, m, n, k, there(context, type, field.get("a")), 0, leading(field, "transpose_a", m, k),
                                  there(context, type, field.get("b")), 0, leading(field, "transpose_b", k, n), result, 0,
                                  leading(field, "", m, n), (MatmulOptions) options, event);
        } else if (operation.equals("map")) {
            ByteBuffer pattern = data(type, field.get("in")), values = data(type, field.get("values"));
            DeviceBuffer filled = new DeviceBuffer(context, result.bytes());
            long n = out.remaining() / Gpcl.dtypeSize(dtype);
            filled.fill(dtype, n, pattern);
            filled.copyTo(result, result.bytes(), 0, 0, event);
            String access = field.get("access");
            Mapping mapping = new Mapping(result, access.matches("[0-9]+") ? Integer.parseInt(access) : constant(access));
            if (values.hasRemaining()) mapping.write(dtype, values, 1);
            second = memory(out.remaining());
            mapping.read(dtype, n, second);
            mapping.release();
        } else {
            DeviceBuffer in = there(context, type, field.get("in"));
            long n = in.bytes() / Gpcl.dtypeSize(dtype);
            switch (operation) {
            case "sort": context.enqueueSort(dtype, n, in, 0, (SortOptions) options, event); break;
            case "sort_pairs":
                String valueType = field.get("value_type");
                DeviceBuffer values = there(context, valueType, field.get("values"));
                context.enqueueSortPairs(dtype, n, in, 0, Gpcl.dtypeSize(dtype(valueType)), values, 0, (SortOptions) options, event);
                second = read(values, valueType, memory(values.bytes()));
                break;
            case "argsort":
                context.enqueueArgsort(dtype, n, in, 0, dtype(field.get("index_type")), result, 0, (SortOptions) options, event);
                break;
            case "scan": context.enqueueScan(dtype, n, in, 0, result, 0, (ScanOptions) options, event); break;
            case "reduce": context.enqueueReduce(dtype, n, in, 0, result, 0, (ReduceOptions) options, event); break;
            case "histogram":
                context.enqueueHistogram(dtype, n, in, 0, number(field, "bins"), result, 0, (HistogramOptions) options, event);
                break;
            case "recurrence":
                context.enqueueRecurrence(dtype, n / Long.parseLong(field.getOrDefault("batch", "1")), in, 0, result, 0,
                                          data(type, field.get("coefficients")), data(type, field.get("initial")),
                                          (RecurrenceOptions) options, event);
                break;
            case "recurrence_varying":
                context.enqueueRecurrenceVarying(dtype, n / Long.parseLong(field.getOrDefault("batch", "1")),
                                                 there(context, type, field.get("coefficients")), 0, in, 0, result, 0,
                                                 data(type, field.get("initial")), (RecurrenceOptions) options, event);
                break;
            case "chain":
                context.enqueueSort(dtype, n, in, 0);
                context.enqueueScan(dtype, n, in, 0, result, 0, null, event);
                break;
            case "kernel":
                Kernel kernel = new Kernel(context, field.get("source").replace('~', ' '), "f");
                Arguments arguments = new Arguments();
                arguments.addBuffer(in);
                arguments.addReal(Gpcl.FLOAT32, 2);
                kernel.enqueue(arguments, n, 1, 1, 0, 1, 1, event);
                break;
            case "times":
                Event onHost = new Event();
                second = data(type, field.get("in"));
                context.profile(field.get("profile").equals("1"));
                context.sort(dtype, second, null, onHost);
                context.enqueueSort(dtype, n, in, 0, null, event);
                context.profile(false);
                for (Event each : new Event[] {onHost, event}) {
                    long commands = each.timing().getCommands();
                    check(commands > 0, "no commands");
                    for (long i = 0; i < commands; ++i) check(!each.command(i).getName().isEmpty(), "a command without a name");
                }
                break;
            default: throw new AssertionError("unknown operation " + operation);
            }
            if (Set.of("sort", "sort_pairs", "kernel", "times").contains(operation)) result = in;
        }
        event.finish();
        check(event.done(), "not done");
        return new ByteBuffer[] {read(result, field.getOrDefault("index_type", type), out), second};
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
        ByteBuffer wanted = data(field.getOrDefault("index_type", type), field.get("out"));
        for (boolean buffers : BUFFERS_ALONE.contains(operation) ? new boolean[] {true} : new boolean[] {false, true}) {
            ByteBuffer out = memory(wanted.remaining());
            try {
                ByteBuffer[] got = buffers ? throughBuffers(context, operation, type, field, out)
                                           : call(context, operation, type, field, out);
                check(fails == null, line + ": did not fail");
                // Bit for bit; the NaN that come are the NaN that went in.
                check(got[0].equals(wanted), line);
                if (got.length < 2 || got[1] == null) continue;
                boolean pairs = field.containsKey("values_out");
                check(got[1].equals(pairs ? data(field.get("value_type"), field.get("values_out")) : wanted), line);
            } catch (GpclException error) {
                check(fails != null && error.getStatus() == constant(fails), line + ": " + error.getMessage());
                check(!error.getMessage().isEmpty(), line);
                check(host || error.getBuildLog().contains(field.getOrDefault("log", "")), line);
            }
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
            // A mapping's memory as a buffer.
            DeviceBuffer buffer = new DeviceBuffer(context, 8);
            Mapping mapping = new Mapping(buffer, Gpcl.WRITE);
            mapping.view().asIntBuffer().put(7).put(-1);
            mapping.release();
            refused(GpclException.class, mapping::view);
            Mapping read = new Mapping(buffer, Gpcl.READ);
            check(read.view().isReadOnly() && read.view().getInt(4) == -1, "a mapping");
            read.release();
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
