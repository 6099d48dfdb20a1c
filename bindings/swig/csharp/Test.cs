// Test.exe CASES: every case on arrays, then what is C#'s own.
// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Reflection;
using Gpcl;

static class Test {
    static readonly HashSet<string> Own = new HashSet<string>(
        ("in out values values_out value_type index_type m n k a b c bins coefficients initial fails host_fails log source " +
         "access profile").Split(' '));
    static readonly HashSet<string> BuffersAlone = new HashSet<string> {"chain", "kernel", "map", "times"};
    static readonly Dictionary<string, Type> Types = new Dictionary<string, Type> {
        {"int8", typeof(sbyte)}, {"int16", typeof(short)}, {"int32", typeof(int)}, {"int64", typeof(long)},
        {"uint8", typeof(byte)}, {"uint16", typeof(ushort)}, {"uint32", typeof(uint)}, {"uint64", typeof(ulong)},
        {"float32", typeof(float)}, {"float64", typeof(double)}};

    static void Check(bool good, string what) {
        if (!good) throw new Exception("not as it should be: " + what);
    }

    static int Constant(string name) {
        var flags = BindingFlags.Public | BindingFlags.Static;
        return Convert.ToInt32(typeof(gp).GetField(name, flags).GetValue(null));
    }

    static int Dtype(string name) { return Constant(name.ToUpperInvariant()); }

    static object Element(string word, Type type) {
        bool real = type == typeof(float) || type == typeof(double);
        if (word == "nan") word = "NaN";
        if (real && word.EndsWith("inf")) return Convert.ChangeType(word[0] == '-' ? double.NegativeInfinity : double.PositiveInfinity, type);
        return Convert.ChangeType(word, type, CultureInfo.InvariantCulture);
    }

    static Array Data(string type, string text) {
        string[] words = text == "" ? new string[0] : text.Split(',');
        Array array = Array.CreateInstance(Types[type], words.Length);
        for (int i = 0; i < words.Length; ++i) array.SetValue(Element(words[i], Types[type]), i);
        return array;
    }

    static bool Same(Array got, Array want) {
        if (got.Length != want.Length) return false;
        for (int i = 0; i < got.Length; ++i)
            if (!got.GetValue(i).Equals(want.GetValue(i))) return false; // Equals takes NaN for equal
        return true;
    }

    /// An options object with the case's fields set; names go from operator_source to OperatorSource.
    static T Options<T>(Dictionary<string, string> field) where T : new() {
        var options = new T();
        foreach (var pair in field) {
            if (Own.Contains(pair.Key)) continue;
            string name = "";
            foreach (string part in pair.Key.Split('_')) name += char.ToUpperInvariant(part[0]) + part.Substring(1);
            var property = typeof(T).GetProperty(name);
            int number;
            object value = pair.Value;
            if (property.PropertyType != typeof(string))
                value = property.PropertyType == typeof(double) ? Element(pair.Value, typeof(double))
                      : Convert.ChangeType(int.TryParse(pair.Value, out number) ? number : Constant(pair.Value), property.PropertyType);
            property.SetValue(options, value, null);
        }
        return options;
    }

    static Array[] Call(Context context, string operation, string type, Dictionary<string, string> field, Array output) {
        int dtype = Dtype(type);
        if (operation == "matmul") {
            long m = long.Parse(field["m"]), n = long.Parse(field["n"]), k = long.Parse(field["k"]);
            Array a = Data(type, field["a"]), b = Data(type, field["b"]);
            if (!field.ContainsKey("c")) {
                context.Matmul(dtype, m, n, k, a, b, output, Options<MatmulOptions>(field));
                return new[] {output};
            }
            Array c = Data(type, field["c"]);
            context.MatmulInto(dtype, m, n, k, a, b, c, Options<MatmulOptions>(field));
            return new[] {c};
        }
        Array input = Data(type, field["in"]);
        switch (operation) {
        case "sort":
            context.Sort(dtype, input, Options<SortOptions>(field));
            return new[] {input};
        case "sort_pairs":
            Array values = Data(field["value_type"], field["values"]);
            context.SortPairs(dtype, input, Dtype(field["value_type"]), values, Options<SortOptions>(field));
            return new[] {input, values};
        case "argsort":
            context.Argsort(dtype, input, Dtype(field["index_type"]), output, Options<SortOptions>(field));
            break;
        case "scan": context.Scan(dtype, input, output, Options<ScanOptions>(field)); break;
        case "reduce": context.Reduce(dtype, input, output, Options<ReduceOptions>(field)); break;
        case "histogram":
            context.Histogram(dtype, input, long.Parse(field["bins"]), output, Options<HistogramOptions>(field));
            break;
        case "recurrence":
            context.Recurrence(dtype, input, Data(type, field["coefficients"]), Data(type, field["initial"]), output,
                               Options<RecurrenceOptions>(field));
            break;
        case "recurrence_varying":
            context.RecurrenceVarying(dtype, input, Data(type, field["coefficients"]), Data(type, field["initial"]), output,
                                      Options<RecurrenceOptions>(field));
            break;
        default: throw new Exception("unknown operation " + operation);
        }
        return new[] {output};
    }

    static DeviceBuffer There(Context context, string type, string text) {
        Array elements = Data(type, text);
        var buffer = new DeviceBuffer(context, Buffer.ByteLength(elements));
        buffer.Write(Dtype(type), elements);
        return buffer;
    }

    static Array Read(DeviceBuffer buffer, string type, Array output) {
        buffer.Read(Dtype(type), output.Length, output);
        return output;
    }

    static long Leading(Dictionary<string, string> field, string transpose, long rows, long columns) {
        string layout, turned;
        field.TryGetValue("layout", out layout);
        field.TryGetValue(transpose, out turned);
        return (layout == "COLUMN_MAJOR") != (turned == "TRANSPOSE") ? rows : columns;
    }

    /// The same in the device's memory.
    static Array[] ThroughBuffers(Context context, string operation, string type, Dictionary<string, string> field, Array output) {
        int dtype = Dtype(type);
        var done = new Event();
        var result = new DeviceBuffer(context, Buffer.ByteLength(output));
        Array second = null;
        if (operation == "matmul") {
            long m = long.Parse(field["m"]), n = long.Parse(field["n"]), k = long.Parse(field["k"]);
            if (field.ContainsKey("c")) result = There(context, type, field["c"]);
            context.EnqueueMatmul(dtype, m, n, k, There(context, type, field["a"]), 0, Leading(field, "transpose_a", m, k),
                                  There(context, type, field["b"]), 0, Leading(field, "transpose_b", k, n), result, 0,
                                  Leading(field, "", m, n), Options<MatmulOptions>(field), done);
        } else if (operation == "map") {
            Array pattern = Data(type, field["in"]), written = Data(type, field["values"]);
            var filled = new DeviceBuffer(context, result.Bytes());
            filled.Fill(dtype, output.Length, pattern);
            filled.CopyTo(result, result.Bytes(), 0, 0, done);
            int access;
            var mapping = new Mapping(result, int.TryParse(field["access"], out access) ? access : Constant(field["access"]));
            if (written.Length > 0) mapping.Write(dtype, written, 1);
            second = (Array)output.Clone();
            mapping.Read(dtype, output.Length, second);
            mapping.Release();
        } else {
            DeviceBuffer input = There(context, type, field["in"]);
            long n = Data(type, field["in"]).Length;
            switch (operation) {
            case "sort": context.EnqueueSort(dtype, n, input, 0, Options<SortOptions>(field), done); break;
            case "sort_pairs":
                string valueType = field["value_type"];
                DeviceBuffer values = There(context, valueType, field["values"]);
                context.EnqueueSortPairs(dtype, n, input, 0, gp.DtypeSize(Dtype(valueType)), values, 0, Options<SortOptions>(field), done);
                second = Read(values, valueType, Data(valueType, field["values"]));
                break;
            case "argsort":
                context.EnqueueArgsort(dtype, n, input, 0, Dtype(field["index_type"]), result, 0, Options<SortOptions>(field), done);
                break;
            case "scan": context.EnqueueScan(dtype, n, input, 0, result, 0, Options<ScanOptions>(field), done); break;
            case "reduce": context.EnqueueReduce(dtype, n, input, 0, result, 0, Options<ReduceOptions>(field), done); break;
            case "histogram":
                context.EnqueueHistogram(dtype, n, input, 0, long.Parse(field["bins"]), result, 0, Options<HistogramOptions>(field), done);
                break;
            case "recurrence":
                context.EnqueueRecurrence(dtype, n / (field.ContainsKey("batch") ? long.Parse(field["batch"]) : 1), input, 0, result, 0,
                                          Data(type, field["coefficients"]), Data(type, field["initial"]),
                                          Options<RecurrenceOptions>(field), done);
                break;
            case "recurrence_varying":
                context.EnqueueRecurrenceVarying(dtype, n / (field.ContainsKey("batch") ? long.Parse(field["batch"]) : 1),
                                                 There(context, type, field["coefficients"]), 0, input, 0, result, 0,
                                                 Data(type, field["initial"]), Options<RecurrenceOptions>(field), done);
                break;
            case "chain":
                context.EnqueueSort(dtype, n, input, 0);
                context.EnqueueScan(dtype, n, input, 0, result, 0, null, done);
                break;
            case "kernel":
                var kernel = new Kernel(context, field["source"].Replace('~', ' '), "f");
                var arguments = new Arguments();
                arguments.AddBuffer(input);
                arguments.AddReal(gp.FLOAT32, 2);
                kernel.Enqueue(arguments, n, 1, 1, 0, 1, 1, done);
                break;
            case "times":
                var onHost = new Event();
                second = Data(type, field["in"]);
                context.Profile(field["profile"] == "1");
                context.Sort(dtype, second, null, onHost);
                context.EnqueueSort(dtype, n, input, 0, null, done);
                context.Profile(false);
                foreach (Event each in new[] {onHost, done}) {
                    long commands = each.Timing().Commands;
                    Check(commands > 0, "no commands");
                    for (long i = 0; i < commands; ++i) Check(each.Command(i).Name != "", "a command without a name");
                }
                break;
            default: throw new Exception("unknown operation " + operation);
            }
            if (operation == "sort" || operation == "sort_pairs" || operation == "kernel" || operation == "times") result = input;
        }
        done.Finish();
        Check(done.Done(), "not done");
        return new[] {Read(result, field.ContainsKey("index_type") ? field["index_type"] : type, output), second};
    }

    static void Run(Context context, bool host, string line) {
        string[] parts = line.Split(new[] {' '}, StringSplitOptions.RemoveEmptyEntries);
        var field = new Dictionary<string, string>();
        for (int i = 2; i < parts.Length; ++i) {
            string[] pair = parts[i].Split(new[] {'='}, 2);
            field[pair[0]] = pair[1];
        }
        string fails = host && field.ContainsKey("host_fails") ? field["host_fails"] : field.ContainsKey("fails") ? field["fails"] : null;
        string outType = field.ContainsKey("index_type") ? field["index_type"] : parts[1];
        Array wanted = Data(outType, field["out"]);
        foreach (bool buffers in BuffersAlone.Contains(parts[0]) ? new[] {true} : new[] {false, true}) {
            Array output = Array.CreateInstance(Types[outType], wanted.Length);
            try {
                Array[] got = buffers ? ThroughBuffers(context, parts[0], parts[1], field, output)
                                      : Call(context, parts[0], parts[1], field, output);
                Check(fails == null, line + ": did not fail");
                Check(Same(got[0], wanted), line);
                if (got.Length < 2 || got[1] == null) continue;
                bool pairs = field.ContainsKey("values_out");
                Check(Same(got[1], pairs ? Data(field["value_type"], field["values_out"]) : wanted), line);
            } catch (GpclException error) {
                Check(fails != null && error.Status == Constant(fails), line + ": " + error.Message);
                Check(error.Message != "", line);
                Check(host || !field.ContainsKey("log") || error.BuildLog.Contains(field["log"]), line);
            }
        }
    }

    static void Refused<T>(Action call) where T : Exception {
        try {
            call();
        } catch (T) {
            return;
        }
        throw new Exception("was not refused with " + typeof(T));
    }

    static void Main(string[] arguments) {
        int passed = 0;
        using (var context = new Context()) {
            bool host = context.Describe().Selector == "host";
            foreach (string line in File.ReadAllLines(arguments[0])) {
                if (line == "" || !char.IsLower(line[0])) continue;
                Run(context, host, line);
                ++passed;
            }
            Refused<ArgumentException>(() => context.Sort(gp.INT32, new[] {"one", "two"}));
            Refused<ArgumentNullException>(() => context.Sort(gp.INT32, null));
            Refused<GpclException>(() => context.Sort(gp.INT32, new byte[6]));
            Refused<GpclException>(() => context.Scan(gp.INT32, new int[2], new int[1]));
            Refused<GpclException>(() => new Context("no such device"));
            Check(gp.Devices() >= 1 && gp.Device(0).Name != "" && gp.Algorithm(gp.SCAN, 0).Name != "", "lists");
            context.Close();
            Refused<GpclException>(() => context.Sort(gp.INT32, new int[2]));
        }
        Console.WriteLine(passed + " cases passed");
    }
}
