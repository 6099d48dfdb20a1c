-- test.lua CASES: every case as tables and as packed strings, then what is Lua's own.
-- SPDX-License-Identifier: MIT
local gpcl = require "gpcl"
local context = gpcl.Context()
local host = context:describe().selector == "host"
local formats = {int8 = "b", int16 = "h", int32 = "i4", int64 = "i8", uint8 = "B", uint16 = "H", uint32 = "I4", uint64 = "I8",
                 float32 = "f", float64 = "d"}
local options = {scan = gpcl.ScanOptions, reduce = gpcl.ReduceOptions, histogram = gpcl.HistogramOptions,
                 recurrence = gpcl.RecurrenceOptions, recurrence_varying = gpcl.RecurrenceOptions, matmul = gpcl.MatmulOptions}
local buffers_alone = {chain = true, kernel = true, map = true, times = true}
local special = {nan = 0 / 0, inf = math.huge, ["-inf"] = -math.huge}
local own = {} -- fields that are not options
for name in ("in out values values_out value_type index_type m n k a b c bins coefficients initial fails host_fails log " ..
             "source access profile"):gmatch "%S+" do own[name] = true end

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

local function options_of(operation, field)
    local o = (options[operation] or gpcl.SortOptions)()
    for key, value in pairs(field) do
        if not own[key] then o[key] = gpcl[value] or math.tointeger(value) or tonumber(value) or value end
    end
    return o
end

local function call(operation, name, field, packed)
    local o, kind = options_of(operation, field), dtype(name)
    local function data(text, type_name) return packed and pack(list(text), type_name or name) or list(text) end
    if operation == "matmul" then
        local m, n, k = math.tointeger(field.m), math.tointeger(field.n), math.tointeger(field.k)
        if not field.c then return context:matmul(kind, m, n, k, data(field.a), data(field.b), o) end
        return context:matmul_into(kind, m, n, k, data(field.a), data(field.b), data(field.c), o)
    end
    local given = data(field["in"])
    if operation == "sort_pairs" then
        return context:sort_pairs(kind, given, dtype(field.value_type), data(field.values, field.value_type), o)
    elseif operation == "argsort" then
        return context:argsort(kind, given, dtype(field.index_type), o)
    elseif operation == "histogram" then
        return context:histogram(kind, given, math.tointeger(field.bins), o)
    elseif operation == "recurrence" or operation == "recurrence_varying" then
        return context[operation](context, kind, given, data(field.coefficients), data(field.initial), o)
    end
    return context[operation](context, kind, given, o)
end

-- The same in the device's memory.
local function through_buffers(operation, name, field, packed)
    local o, kind, event = options_of(operation, field), dtype(name), gpcl.Event()
    local function data(text, type_name) return packed and pack(list(text), type_name or name) or list(text) end
    local function there(text, type_name)
        local buffer = gpcl.DeviceBuffer(context, #list(text) * gpcl.dtype_size(dtype(type_name or name)))
        buffer:write(dtype(type_name or name), data(text, type_name))
        return buffer
    end
    local function read(from, type_name, n) return from[packed and "read_packed" or "read"](from, dtype(type_name), n) end
    local out_type, count, second = field.index_type or name, #list(field.out), nil
    local result = gpcl.DeviceBuffer(context, count * gpcl.dtype_size(dtype(out_type)))
    if operation == "matmul" then
        local m, n, k = math.tointeger(field.m), math.tointeger(field.n), math.tointeger(field.k)
        local function leading(rows, columns, transpose)
            return (field.layout == "COLUMN_MAJOR") ~= (field[transpose] == "TRANSPOSE") and rows or columns
        end
        if field.c then result = there(field.c) end
        context:enqueue_matmul(kind, m, n, k, there(field.a), 0, leading(m, k, "transpose_a"), there(field.b), 0,
                               leading(k, n, "transpose_b"), result, 0, leading(m, n, ""), o, event)
    elseif operation == "map" then
        local filled, values = gpcl.DeviceBuffer(context, result:bytes()), data(field.values)
        filled:fill(kind, count, data(field["in"]))
        filled:copy_to(result, result:bytes(), 0, 0, event)
        local mapping = gpcl.Mapping(result, gpcl[field.access] or math.tointeger(field.access))
        if #values > 0 then mapping:write(kind, values, 1) end
        second = read(mapping, name, count)
        mapping:release()
    else
        local given, n = there(field["in"]), #list(field["in"])
        local in_place = {sort = true, sort_pairs = true, kernel = true, times = true}
        if operation == "sort" then
            context:enqueue_sort(kind, n, given, 0, o, event)
        elseif operation == "sort_pairs" then
            local values = there(field.values, field.value_type)
            context:enqueue_sort_pairs(kind, n, given, 0, gpcl.dtype_size(dtype(field.value_type)), values, 0, o, event)
            second = read(values, field.value_type, n)
        elseif operation == "argsort" then
            context:enqueue_argsort(kind, n, given, 0, dtype(field.index_type), result, 0, o, event)
        elseif operation == "histogram" then
            context:enqueue_histogram(kind, n, given, 0, math.tointeger(field.bins), result, 0, o, event)
        elseif operation == "recurrence" then
            context:enqueue_recurrence(kind, n // (math.tointeger(field.batch) or 1), given, 0, result, 0,
                                       data(field.coefficients), data(field.initial), o, event)
        elseif operation == "recurrence_varying" then
            context:enqueue_recurrence_varying(kind, n // (math.tointeger(field.batch) or 1), there(field.coefficients), 0, given,
                                               0, result, 0, data(field.initial), o, event)
        elseif operation == "chain" then
            context:enqueue_sort(kind, n, given, 0)
            context:enqueue_scan(kind, n, given, 0, result, 0, nil, event)
        elseif operation == "kernel" then
            local kernel, arguments = gpcl.Kernel(context, (field.source:gsub("~", " ")), "f"), gpcl.Arguments()
            arguments:add_buffer(given)
            arguments:add_real(gpcl.FLOAT32, 2)
            kernel:enqueue(arguments, n, 1, 1, 0, 1, 1, event)
        elseif operation == "times" then
            local on_host = gpcl.Event()
            context:profile(field.profile == "1")
            second = context:sort(kind, data(field["in"]), nil, on_host)
            context:enqueue_sort(kind, n, given, 0, nil, event)
            context:profile(false)
            for _, each in ipairs {on_host, event} do
                local commands = each:timing().commands
                assert(commands > 0)
                for i = 0, commands - 1 do assert(each:command(i).name ~= "") end
            end
        else
            context["enqueue_" .. operation](context, kind, n, given, 0, result, 0, o, event)
        end
        if in_place[operation] then result = given end
    end
    event:finish()
    assert(event:done())
    return read(result, out_type, count), second
end

local passed = 0
for line in io.lines(arg[1]) do
    local operation, name, rest = line:match "^(%l%S*) (%S+) (.*)"
    if operation then
        local field = {}
        for key, value in rest:gmatch "(%S-)=(%S*)" do field[key] = value end
        local fails = host and field.host_fails or field.fails
        for _, way in ipairs(buffers_alone[operation] and {through_buffers} or {call, through_buffers}) do
            for _, packed in ipairs {false, true} do
                local ok, first, second = pcall(way, operation, name, field, packed)
                if fails then
                    assert(not ok and first.status == gpcl[fails], line .. ": " .. tostring(first))
                    assert(tostring(first) == first.message and #first.message > 0, line)
                    assert(host or not field.log or first.build_log:find(field.log, 1, true), line)
                else
                    assert(ok, line .. ": " .. tostring(first))
                    assert(same(first, field.index_type or name, field.out), line)
                    assert(not second or same(second, field.value_type or name, field.values_out or field.out), line)
                end
            end
        end
        passed = passed + 1
    end
end

assert(not pcall(context.sort, context, gpcl.INT32, {1, "two"}), "a table of something else")
assert(not pcall(context.sort, context, gpcl.INT32, 7), "no data at all")
assert(not pcall(context.sort, context, gpcl.INT32, "12345"), "half an element")
assert(not pcall(context.histogram, context, gpcl.UINT8, {1}, 1 << 50), "more than memory holds")
assert(not pcall(context.matmul, context, gpcl.FLOAT32, 1 << 31, 1 << 31, 0, {}, {}), "a size that wraps")
local ok, failure = pcall(gpcl.Context, "no such device")
assert(not ok and failure.status == gpcl.ERROR_NO_DEVICE)
assert(gpcl.devices() >= 1 and gpcl.device(0).name ~= "" and gpcl.algorithm(gpcl.SCAN, 0).name ~= "")
context:close()
assert(not pcall(context.sort, context, gpcl.INT32, {1}), "a closed context")
print(passed .. " cases passed")
