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
        "in out values values_out value_type index_type m n k a b bins coefficients initial fails host_fails log source".Split(' '));
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
                value = Convert.ChangeType(int.TryParse(pair.Value, out number) ? number : Constant(pair.Value), property.PropertyType);
            property.SetValue(options, value, null);
        }
        return options;
    }

    /// The cases that go through a buffer.
    static void ThroughBuffer(Context context, string operation, int dtype, string source, Array input, Array output) {
        var buffer = new DeviceBuffer(context, Buffer.ByteLength(input));
        buffer.Write(dtype, input);
        if (operation == "chain") {
            context.EnqueueSort(dtype, input.Length, buffer, 0);
            context.EnqueueScan(dtype, input.Length, buffer, 0, buffer, 0);
        } else {
            var kernel = new Kernel(context, source.Replace('~', ' '), "f");
            var arguments = new Arguments();
            arguments.AddBuffer(buffer);
            arguments.AddReal(gp.FLOAT32, 2);
            kernel.Enqueue(arguments, input.Length);
        }
        buffer.Read(dtype, input.Length, output);
    }

    static Array[] Call(Context context, string operation, string type, Dictionary<string, string> field, Array output) {
        int dtype = Dtype(type);
        if (operation == "matmul") {
            context.Matmul(dtype, long.Parse(field["m"]), long.Parse(field["n"]), long.Parse(field["k"]), Data(type, field["a"]),
                           Data(type, field["b"]), output, Options<MatmulOptions>(field));
            return new[] {output};
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
        case "chain":
        case "kernel":
            ThroughBuffer(context, operation, dtype, field.ContainsKey("source") ? field["source"] : null, input, output);
            break;
        case "histogram":
            context.Histogram(dtype, input, long.Parse(field["bins"]), output, Options<HistogramOptions>(field));
            break;
        case "recurrence":
            context.Recurrence(dtype, input, Data(type, field["coefficients"]), Data(type, field["initial"]), output,
                               Options<RecurrenceOptions>(field));
            break;
        case "reduce": context.Reduce(dtype, input, output, Options<ReduceOptions>(field)); break;
        default: throw new Exception("unknown operation " + operation);
        }
        return new[] {output};
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
        try {
            Array[] got = Call(context, parts[0], parts[1], field, Array.CreateInstance(Types[outType], wanted.Length));
            Check(fails == null, line + ": did not fail");
            Check(Same(got[0], wanted), line);
            Check(got.Length < 2 || Same(got[1], Data(field["value_type"], field["values_out"])), line);
        } catch (GpclException error) {
            Check(fails != null && error.Status == Constant(fails), line + ": " + error.Message);
            Check(error.Message != "", line);
            Check(host || !field.ContainsKey("log") || error.BuildLog.Contains(field["log"]), line);
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
