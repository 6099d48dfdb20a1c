# test.tcl CASES: every case as lists and as byte arrays, then what is Tcl's own.
# SPDX-License-Identifier: MIT
package require gpcl

array set formats {int8 c* int16 t* int32 n* int64 m* uint8 cu* uint16 tu* uint32 nu* uint64 mu* float32 f* float64 d*}
set special {nan 0x7fc00000 inf 0x7f800000 -inf 0xff800000}
array set options {sort Sort sort_pairs Sort argsort Sort scan Scan reduce Reduce histogram Histogram
                   recurrence Recurrence recurrence_varying Recurrence matmul Matmul chain Sort kernel Sort map Sort times Sort}
set buffers_alone {chain kernel map times}
set own {in out values values_out value_type index_type m n k a b c bins coefficients initial fails host_fails log source
         access profile}

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

proc options_of {operation fields} {
    set o [gpcl::$::options($operation)Options]
    dict for {key value} $fields {
        if {$key in $::own} continue
        if {[regexp {^[A-Z_]+$} $value]} { set value [constant $value] }
        $o configure -$key $value
    }
    return $o
}

# Each way returns a list of one or two results.
proc call {context operation type fields packed} {
    set o [options_of $operation $fields]
    set c ""
    dict with fields {}
    set kind [dtype $type]
    switch $operation {
        matmul {
            set a [data $a $type $packed]
            set b [data $b $type $packed]
            if {$c eq ""} { return [list [$context matmul $kind $m $n $k $a $b $o]] }
            return [list [$context matmul_into $kind $m $n $k $a $b [data $c $type $packed] $o]]
        }
        sort_pairs {
            return [$context sort_pairs $kind [data $in $type $packed] [dtype $value_type] [data $values $value_type $packed] $o]
        }
        histogram { list [$context histogram $kind [data $in $type $packed] $bins $o] }
        recurrence - recurrence_varying {
            list [$context $operation $kind [data $in $type $packed] [data $coefficients $type $packed] \
                      [data $initial $type $packed] $o]
        }
        argsort { list [$context argsort $kind [data $in $type $packed] [dtype $index_type] $o] }
        default { list [$context $operation $kind [data $in $type $packed] $o] }
    }
}

proc there {context text type packed} {
    set buffer [gpcl::DeviceBuffer -args $context [expr {[llength [elements $text]] * [gpcl::dtype_size [dtype $type]]}]]
    $buffer write [dtype $type] [data $text $type $packed]
    return $buffer
}

# The same in the device's memory.
proc through_buffers {context operation type fields packed} {
    set o [options_of $operation $fields]
    foreach {name value} {c "" layout "" transpose_a "" transpose_b "" batch 1 index_type ""} { set $name $value }
    dict with fields {}
    set kind [dtype $type]
    set out_type [expr {$index_type eq "" ? $type : $index_type}]
    set count [llength [elements $out]]
    set result [gpcl::DeviceBuffer -args $context [expr {$count * [gpcl::dtype_size [dtype $out_type]]}]]
    set read [expr {$packed ? "read_packed" : "read"}]
    set event [gpcl::Event]
    set second {}
    if {$operation eq "matmul"} {
        set column [expr {$layout eq "COLUMN_MAJOR"}]
        if {$c ne ""} { set result [there $context $c $type $packed] }
        $context enqueue_matmul $kind $m $n $k \
            [there $context $a $type $packed] 0 [expr {$column != ($transpose_a eq "TRANSPOSE") ? $m : $k}] \
            [there $context $b $type $packed] 0 [expr {$column != ($transpose_b eq "TRANSPOSE") ? $k : $n}] \
            $result 0 [expr {$column ? $m : $n}] $o $event
    } elseif {$operation eq "map"} {
        set filled [gpcl::DeviceBuffer -args $context [$result bytes]]
        $filled fill $kind $count [data $in $type $packed]
        $filled copy_to $result [$result bytes] 0 0 $event
        if {![string is integer $access]} { set access [constant $access] }
        set mapping [gpcl::Mapping -args $result $access]
        if {$values ne ""} { $mapping write $kind [data $values $type $packed] 1 }
        lappend second [$mapping $read $kind $count]
        $mapping release
    } else {
        set given [there $context $in $type $packed]
        set n [llength [elements $in]]
        switch $operation {
            sort { $context enqueue_sort $kind $n $given 0 $o $event }
            sort_pairs {
                set moved [there $context $values $value_type $packed]
                $context enqueue_sort_pairs $kind $n $given 0 [gpcl::dtype_size [dtype $value_type]] $moved 0 $o $event
                lappend second [$moved $read [dtype $value_type] $n]
            }
            argsort { $context enqueue_argsort $kind $n $given 0 [dtype $index_type] $result 0 $o $event }
            histogram { $context enqueue_histogram $kind $n $given 0 $bins $result 0 $o $event }
            recurrence {
                $context enqueue_recurrence $kind [expr {$n / $batch}] $given 0 $result 0 [data $coefficients $type $packed] \
                    [data $initial $type $packed] $o $event
            }
            recurrence_varying {
                $context enqueue_recurrence_varying $kind [expr {$n / $batch}] [there $context $coefficients $type $packed] 0 \
                    $given 0 $result 0 [data $initial $type $packed] $o $event
            }
            chain {
                $context enqueue_sort $kind $n $given 0
                $context enqueue_scan $kind $n $given 0 $result 0 NULL $event
            }
            kernel {
                set kernel [gpcl::Kernel -args $context [string map {~ " "} $source] f]
                set arguments [gpcl::Arguments]
                $arguments add_buffer $given
                $arguments add_real $gpcl::FLOAT32 2
                $kernel enqueue $arguments $n 1 1 0 1 1 $event
            }
            times {
                set on_host [gpcl::Event]
                $context profile $profile
                lappend second [$context sort $kind [data $in $type $packed] NULL $on_host]
                $context enqueue_sort $kind $n $given 0 NULL $event
                $context profile 0
                foreach each [list $on_host $event] {
                    set commands [[$each timing] cget -commands]
                    check [expr {$commands > 0}] "no commands"
                    for {set i 0} {$i < $commands} {incr i} { check [expr {[[$each command $i] cget -name] ne ""}] "no name" }
                }
            }
            default { $context enqueue_$operation $kind $n $given 0 $result 0 $o $event }
        }
        if {$operation in {sort sort_pairs kernel times}} { set result $given }
    }
    $event finish
    check [$event done] "not done"
    return [list [$result $read [dtype $out_type] $count] {*}$second]
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
    foreach way [expr {$operation in $::buffers_alone ? "through_buffers" : {call through_buffers}}] {
        try {
            set got [$way $context $operation $type $fields $packed]
        } trap GPCL {message problem} {
            lassign [dict get $problem -errorcode] - name status log
            check [expr {$name eq $fails && $status == [constant $name] && $message ne ""}] "$line: $message"
            if {!$host && [dict exists $fields log]} { check [expr {[string first [dict get $fields log] $log] >= 0}] $line }
            continue
        }
        check [expr {$fails eq ""}] $line
        set out_type [expr {[dict exists $fields index_type] ? [dict get $fields index_type] : $type}]
        check [same [lindex $got 0] $out_type [dict get $fields out] $packed] "$line: $got"
        if {$operation eq "sort_pairs"} {
            check [same [lindex $got 1] [dict get $fields value_type] [dict get $fields values_out] $packed] $line
        } elseif {[llength $got] > 1} {
            check [same [lindex $got 1] $type [dict get $fields out] $packed] "$line: $got"
        }
    }
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
