package require gpcl
set context [gpcl::Context] ;# the best device; or -args gpu, -args cpu, -args host
puts [$context sort $gpcl::FLOAT32 {3.5 -1 2.25}]
puts [$context scan $gpcl::INT32 {1 2 3 4}]
puts [$context matmul $gpcl::FLOAT64 2 2 2 {1 2 3 4} {5 6 7 8}]
set options [gpcl::ScanOptions]
$options configure -operator_source "no_such_function(a, b)" -operator_identity "0"
try { $context scan $gpcl::FLOAT32 {1 2} $options } trap GPCL {message problem} {
    puts "expected error: $message"
    puts [lindex [dict get $problem -errorcode] 3]
}
