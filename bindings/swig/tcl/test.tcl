# test.tcl CASES: every case as lists and as byte arrays, then what is Tcl's own.
# SPDX-License-Identifier: MIT
package require gpcl

array set formats {int8 c* int16 t* int32 n* int64 m* uint8 cu* uint16 tu* uint32 nu* uint64 mu* float32 f* float64 d*}
set special {nan 0x7fc00000 inf 0x7f800000 -inf 0xff800000}
array set options {sort Sort sort_pairs Sort argsort Sort scan Scan reduce Reduce
                   histogram Histogram recurrence Recurrence matmul Matmul
                   chain Sort kernel Sort}
set own {in out values values_out value_type index_type m n k a b bins coefficients initial fails host_fails log source}

proc check {good what} { if {!$good} { error "not as it should be: $what" } }
proc constant {name} { return [set ::gpcl::$name] }
proc dtype {name} { return [constant [string toupper $name]] }
proc elements {text} { return [split $text ,] }

# A list, or the byte array of it.
proc data {text type packed} {
    if {!$packed} { return [elements $text] }
    if {$type ne "float32"} { return [binary format [string map {u ""} $::formats($type)] [elements $text]] }
    set bytes [binary format ""]
    foreach word [elements $text] { # `binary format f` refuses NaN and makes infinity the largest float
        if {[dict exists $::special $word]} {
            append bytes [binary format n [dict get $::special $word]]
        } else {
            append bytes [binary format f $word]
        }
    }
    return $bytes
}

proc same {got type text packed} {
    if {$packed} {
        set values {}
        binary scan $got $::formats($type) values
        set got $values
    }
    set want [elements $text]
    if {[llength $got] != [llength $want]} { return 0 }
    foreach g $got w $want {
        if {$w eq "nan"} {
            if {![string match -nocase *nan* $g]} { return 0 }
        } elseif {$g != $w} { return 0 }
    }
    return 1
}

# The cases that go through a buffer.
proc through_buffer {context operation type fields packed} {
    set dtype [dtype $type]
    set n [llength [elements [dict get $fields in]]]
    set buffer [gpcl::DeviceBuffer -args $context [expr {$n * [gpcl::dtype_size $dtype]}]]
    $buffer write $dtype [data [dict get $fields in] $type $packed]
    if {$operation eq "chain"} {
        $context enqueue_sort $dtype $n $buffer 0
        $context enqueue_scan $dtype $n $buffer 0 $buffer 0
    } else {
        set kernel [gpcl::Kernel -args $context [string map {~ " "} [dict get $fields source]] f]
        set arguments [gpcl::Arguments]
        $arguments add_buffer $buffer
        $arguments add_real $gpcl::FLOAT32 2
        $kernel enqueue $arguments $n
    }
    return [$buffer [expr {$packed ? "read_packed" : "read"}] $dtype $n]
}

proc call {context operation type fields packed} {
    set o [gpcl::$::options($operation)Options]
    dict for {key value} $fields {
        if {$key in $::own} continue
        if {[regexp {^[A-Z_]+$} $value]} { set value [constant $value] }
        $o configure -$key $value
    }
    dict with fields {}
    switch $operation {
        matmul { $context matmul [dtype $type] $m $n $k [data $a $type $packed] [data $b $type $packed] $o }
        sort_pairs {
            $context sort_pairs [dtype $type] [data $in $type $packed] [dtype $value_type] \
                [data $values $value_type $packed] $o
        }
        chain - kernel { through_buffer $context $operation $type $fields $packed }
        histogram { $context histogram [dtype $type] [data $in $type $packed] $bins $o }
        recurrence {
            $context recurrence [dtype $type] [data $in $type $packed] [data $coefficients $type $packed] \
                [data $initial $type $packed] $o
        }
        argsort { $context argsort [dtype $type] [data $in $type $packed] [dtype $index_type] $o }
        default { $context $operation [dtype $type] [data $in $type $packed] $o }
    }
}

proc run {context host line packed} {
    set rest [lassign $line operation type]
    set fields {}
    foreach part $rest {
        set at [string first = $part]
        dict set fields [string range $part 0 $at-1] [string range $part $at+1 end]
    }
    set fails ""
    catch { set fails [dict get $fields fails] }
    if {[string match "* in= *" $line] || [string match "* a= *" $line]} { set packed 0 } ;# nothing is both to Tcl
    if {$host} { catch { set fails [dict get $fields host_fails] } }
    try {
        set got [call $context $operation $type $fields $packed]
    } trap GPCL {message problem} {
        lassign [dict get $problem -errorcode] - name status log
        check [expr {$name eq $fails && $status == [constant $name] && $message ne ""}] "$line: $message"
        if {!$host && [dict exists $fields log]} { check [expr {[string first [dict get $fields log] $log] >= 0}] $line }
        return
    }
    check [expr {$fails eq ""}] $line
    if {$operation eq "sort_pairs"} {
        check [same [lindex $got 1] [dict get $fields value_type] [dict get $fields values_out] $packed] $line
        set got [lindex $got 0]
    }
    if {[dict exists $fields index_type]} { set type [dict get $fields index_type] }
    check [same $got $type [dict get $fields out] $packed] "$line: $got"
}

proc refused {code script} {
    try { uplevel $script } trap $code {} { return }
    error "was not refused: $script"
}

set context [gpcl::Context]
set host [expr {[[$context describe] cget -selector] eq "host"}]
set file [open [lindex $argv 0]]
set cases [lsearch -all -inline -regexp [split [read $file] \n] {^[a-z]}]
close $file
foreach line $cases { foreach packed {0 1} { run $context $host $line $packed } }

check [expr {[$context sort $gpcl::UINT64 {18446744073709551615 5}] eq {5 18446744073709551615}}] "all 64 bits"
refused {} { $context sort $gpcl::INT32 {1 two} }
refused {GPCL ERROR_OPTION} { $context sort $gpcl::INT32 [binary format c6 {1 2 3 4 5 6}] }
refused {GPCL ERROR_NO_DEVICE} { gpcl::Context -args "no such device" }
check [expr {[gpcl::devices] >= 1 && [[gpcl::device 0] cget -name] ne ""}] devices
check [expr {[[gpcl::algorithm $gpcl::SCAN 0] cget -name] ne ""}] algorithms
$context close
refused GPCL { $context sort $gpcl::INT32 {1} }
puts "[llength $cases] cases passed"
