-- test.lua CASES: every case as tables and as packed strings, then what is Lua's own.
-- SPDX-License-Identifier: MIT
local gpcl = require "gpcl"
local context = gpcl.Context()
local host = context:describe().selector == "host"
local formats = {int8 = "b", int16 = "h", int32 = "i4", int64 = "i8", uint8 = "B", uint16 = "H", uint32 = "I4", uint64 = "I8",
                 float32 = "f", float64 = "d"}
local options = {sort = gpcl.SortOptions, sort_pairs = gpcl.SortOptions, argsort = gpcl.SortOptions,
                 scan = gpcl.ScanOptions, reduce = gpcl.ReduceOptions,
                 histogram = gpcl.HistogramOptions, recurrence = gpcl.RecurrenceOptions, matmul = gpcl.MatmulOptions, chain = gpcl.SortOptions,
                 kernel = gpcl.SortOptions}
local special = {nan = 0 / 0, inf = math.huge, ["-inf"] = -math.huge}
local own = {} -- fields that are not options
for name in ("in out values values_out value_type index_type m n k a b bins coefficients initial fails host_fails log source"):gmatch "%S+" do own[name] = true end

local function dtype(name) return gpcl[name:upper()] end
local function list(text)
    local values = {}
    for word in text:gmatch "[^,]+" do values[#values + 1] = special[word] or math.tointeger(word) or tonumber(word) end
    return values
end
local function pack(values, name)
    return string.pack("=" .. formats[name]:rep(#values), table.unpack(values))
end
local function unpack_all(data, name)
    if type(data) == "table" then return data end
    local values, position = {}, 1
    while position <= #data do values[#values + 1], position = string.unpack("=" .. formats[name], data, position) end
    return values
end
local function same(data, name, text)
    local got, want = unpack_all(data, name), list(text)
    if #got ~= #want then return false end
    for i = 1, #got do
        if got[i] ~= want[i] and not (got[i] ~= got[i] and want[i] ~= want[i]) then return false end
    end
    return true
end

-- The cases that go through a buffer.
local function through_buffer(operation, name, field, packed, values)
    local n, size = #list(field["in"]), gpcl.dtype_size(dtype(name))
    local buffer = gpcl.DeviceBuffer(context, n * size)
    buffer:write(dtype(name), values)
    if operation == "chain" then
        context:enqueue_sort(dtype(name), n, buffer, 0)
        context:enqueue_scan(dtype(name), n, buffer, 0, buffer, 0)
    else
        local kernel = gpcl.Kernel(context, (field.source:gsub("~", " ")), "f")
        local arguments = gpcl.Arguments()
        arguments:add_buffer(buffer)
        arguments:add_real(gpcl.FLOAT32, 2)
        kernel:enqueue(arguments, n)
    end
    return buffer[packed and "read_packed" or "read"](buffer, dtype(name), n)
end

local function call(operation, name, field, packed)
    local o = options[operation]()
    for key, value in pairs(field) do
        if not own[key] then o[key] = gpcl[value] or math.tointeger(value) or value end
    end
    local function data(text, type_name) return packed and pack(list(text), type_name) or list(text) end
    if operation == "matmul" then
        return context:matmul(dtype(name), math.tointeger(field.m), math.tointeger(field.n), math.tointeger(field.k),
                              data(field.a, name), data(field.b, name), o)
    elseif operation == "sort_pairs" then
        return context:sort_pairs(dtype(name), data(field["in"], name), dtype(field.value_type),
                                  data(field.values, field.value_type), o)
    elseif operation == "argsort" then
        return context:argsort(dtype(name), data(field["in"], name), dtype(field.index_type), o)
    elseif operation == "histogram" then
        return context:histogram(dtype(name), data(field["in"], name), math.tointeger(field.bins), o)
    elseif operation == "recurrence" then
        return context:recurrence(dtype(name), data(field["in"], name), data(field.coefficients, name), data(field.initial, name), o)
    end
    if operation == "chain" or operation == "kernel" then
        return through_buffer(operation, name, field, packed, data(field["in"], name))
    end
    return context[operation](context, dtype(name), data(field["in"], name), o)
end

local passed = 0
for line in io.lines(arg[1]) do
    local operation, name, rest = line:match "^(%l%S*) (%S+) (.*)"
    if operation then
        local field = {}
        for key, value in rest:gmatch "(%S-)=(%S*)" do field[key] = value end
        local fails = host and field.host_fails or field.fails
        for _, packed in ipairs {false, true} do
            local ok, first, second = pcall(call, operation, name, field, packed)
            if fails then
                assert(not ok and first.status == gpcl[fails], line)
                assert(tostring(first) == first.message and #first.message > 0, line)
                assert(host or not field.log or first.build_log:find(field.log, 1, true), line)
            else
                assert(ok, line .. ": " .. tostring(first))
                assert(same(first, field.index_type or name, field.out), line)
                assert(not field.values_out or same(second, field.value_type, field.values_out), line)
            end
        end
        passed = passed + 1
    end
end

assert(not pcall(context.sort, context, gpcl.INT32, {1, "two"}), "a table of something else")
assert(not pcall(context.sort, context, gpcl.INT32, 7), "no data at all")
assert(not pcall(context.sort, context, gpcl.INT32, "12345"), "half an element")
local ok, failure = pcall(gpcl.Context, "no such device")
assert(not ok and failure.status == gpcl.ERROR_NO_DEVICE)
assert(gpcl.devices() >= 1 and gpcl.device(0).name ~= "" and gpcl.algorithm(gpcl.SCAN, 0).name ~= "")
context:close()
assert(not pcall(context.sort, context, gpcl.INT32, {1}), "a closed context")
print(passed .. " cases passed")
