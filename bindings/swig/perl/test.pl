# test.pl CASES: every case as arrays and as packed strings, then what is Perl's own.
# SPDX-License-Identifier: MIT
use strict;
use warnings;
use Gpcl;

my %format = (int8 => "c*", int16 => "s*", int32 => "l*", int64 => "q*", uint8 => "C*", uint16 => "S*", uint32 => "L*",
              uint64 => "Q*", float32 => "f*", float64 => "d*");
my %options = (scan => "Scan", reduce => "Reduce", histogram => "Histogram", recurrence => "Recurrence",
               recurrence_varying => "Recurrence", matmul => "Matmul");
my %buffers_alone = map { $_ => 1 } qw(chain kernel map times);
my %own = map { $_ => 1 } qw(in out values values_out value_type index_type m n k a b c bins coefficients initial fails
                             host_fails log source access profile);

sub check { my ($good, $what) = @_; die "not as it should be: $what\n" unless $good; }
sub constant { my ($name) = @_; no strict "refs"; return ${"Gpcl::$name"}; }
sub dtype { return constant(uc $_[0]); }
sub list { return [map { $_ + 0 } split /,/, $_[0]]; }

sub same {
    my ($got, $type, $text) = @_;
    my @got = ref $got ? @$got : unpack($format{$type}, $got);
    my $want = list($text);
    return 0 if @got != @$want;
    for my $i (0 .. $#got) {
        my $both_nan = $got[$i] != $got[$i] && $want->[$i] != $want->[$i];
        return 0 unless $got[$i] == $want->[$i] || $both_nan;
    }
    return 1;
}

sub options_of {
    my ($operation, $field) = @_;
    my $options = ("Gpcl::" . ($options{$operation} // "Sort") . "Options")->new;
    for my $key (grep { !$own{$_} } keys %$field) {
        my $value = $field->{$key};
        $options->{$key} = $value =~ /^[A-Z_]+$/ ? constant($value)
                         : $key =~ /^(alpha|beta)$/ || $value =~ /^-?\d+$/ && $key !~ /^operator/ ? $value + 0 : $value;
    }
    return $options;
}

sub data {
    my ($text, $of, $packed) = @_;
    return $packed ? pack($format{$of}, @{list($text)}) : list($text);
}

sub call {
    my ($context, $operation, $type, $field, $packed) = @_;
    my $options = options_of($operation, $field);
    if ($operation eq "matmul") {
        my @given = (dtype($type), @$field{qw(m n k)}, map { data($field->{$_}, $type, $packed) } qw(a b));
        return $context->matmul(@given, $options) unless exists $field->{c};
        return $context->matmul_into(@given, data($field->{c}, $type, $packed), $options);
    }
    my $in = data($field->{in}, $type, $packed);
    if ($operation eq "sort_pairs") {
        return $context->sort_pairs(dtype($type), $in, dtype($field->{value_type}),
                                    data($field->{values}, $field->{value_type}, $packed), $options);
    }
    return $context->histogram(dtype($type), $in, $field->{bins}, $options) if $operation eq "histogram";
    if ($operation =~ /^recurrence/) {
        return $context->$operation(dtype($type), $in, data($field->{coefficients}, $type, $packed),
                                    data($field->{initial}, $type, $packed), $options);
    }
    return $context->argsort(dtype($type), $in, dtype($field->{index_type}), $options) if $operation eq "argsort";
    return $context->$operation(dtype($type), $in, $options);
}

# The same in the device's memory.
sub through_buffers {
    my ($context, $operation, $type, $field, $packed) = @_;
    my ($options, $kind, $event, $second) = (options_of($operation, $field), dtype($type), Gpcl::Event->new);
    my $there = sub {
        my ($text, $of) = @_;
        my $buffer = Gpcl::DeviceBuffer->new($context, @{list($text)} * Gpcl::dtype_size(dtype($of)));
        $buffer->write(dtype($of), data($text, $of, $packed));
        return $buffer;
    };
    my $read = sub {
        my ($from, $of, $n) = @_;
        return $packed ? $from->read_packed(dtype($of), $n) : $from->read(dtype($of), $n);
    };
    my ($out_type, $count) = ($field->{index_type} // $type, scalar @{list($field->{out})});
    my $result = Gpcl::DeviceBuffer->new($context, $count * Gpcl::dtype_size(dtype($out_type)));
    if ($operation eq "matmul") {
        my ($m, $n, $k) = @$field{qw(m n k)};
        my $leading = sub {
            my ($rows, $columns, $transpose) = @_;
            my $column = ($field->{layout} // "") eq "COLUMN_MAJOR";
            return $column != (($field->{$transpose} // "") eq "TRANSPOSE") ? $rows : $columns;
        };
        $result = $there->($field->{c}, $type) if exists $field->{c};
        $context->enqueue_matmul($kind, $m, $n, $k, $there->($field->{a}, $type), 0, $leading->($m, $k, "transpose_a"),
                                 $there->($field->{b}, $type), 0, $leading->($k, $n, "transpose_b"), $result, 0,
                                 $leading->($m, $n, ""), $options, $event);
    } elsif ($operation eq "map") {
        my $filled = Gpcl::DeviceBuffer->new($context, $result->bytes);
        $filled->fill($kind, $count, data($field->{in}, $type, $packed));
        $filled->copy_to($result, $result->bytes, 0, 0, $event);
        my $access = $field->{access};
        my $mapping = Gpcl::Mapping->new($result, $access =~ /\d/ ? $access + 0 : constant($access));
        $mapping->write($kind, data($field->{values}, $type, $packed), 1) if $field->{values} ne "";
        $second = $read->($mapping, $type, $count);
        $mapping->release;
    } else {
        my ($given, $n) = ($there->($field->{in}, $type), scalar @{list($field->{in})});
        if ($operation eq "sort") {
            $context->enqueue_sort($kind, $n, $given, 0, $options, $event);
        } elsif ($operation eq "sort_pairs") {
            my $values = $there->($field->{values}, $field->{value_type});
            $context->enqueue_sort_pairs($kind, $n, $given, 0, Gpcl::dtype_size(dtype($field->{value_type})), $values, 0,
                                         $options, $event);
            $second = $read->($values, $field->{value_type}, $n);
        } elsif ($operation eq "argsort") {
            $context->enqueue_argsort($kind, $n, $given, 0, dtype($field->{index_type}), $result, 0, $options, $event);
        } elsif ($operation eq "histogram") {
            $context->enqueue_histogram($kind, $n, $given, 0, $field->{bins}, $result, 0, $options, $event);
        } elsif ($operation eq "recurrence") {
            $context->enqueue_recurrence($kind, $n / ($field->{batch} // 1), $given, 0, $result, 0,
                                         data($field->{coefficients}, $type, $packed),
                                         data($field->{initial}, $type, $packed), $options, $event);
        } elsif ($operation eq "recurrence_varying") {
            $context->enqueue_recurrence_varying($kind, $n / ($field->{batch} // 1), $there->($field->{coefficients}, $type), 0,
                                                 $given, 0, $result, 0, data($field->{initial}, $type, $packed), $options,
                                                 $event);
        } elsif ($operation eq "chain") {
            $context->enqueue_sort($kind, $n, $given, 0);
            $context->enqueue_scan($kind, $n, $given, 0, $result, 0, undef, $event);
        } elsif ($operation eq "kernel") {
            my ($kernel, $arguments) = (Gpcl::Kernel->new($context, $field->{source} =~ tr/~/ /r, "f"), Gpcl::Arguments->new);
            $arguments->add_buffer($given);
            $arguments->add_real($Gpcl::FLOAT32, 2);
            $kernel->enqueue($arguments, $n, 1, 1, 0, 1, 1, $event);
        } elsif ($operation eq "times") {
            my $on_host = Gpcl::Event->new;
            $context->profile($field->{profile});
            $second = $context->sort($kind, data($field->{in}, $type, $packed), undef, $on_host);
            $context->enqueue_sort($kind, $n, $given, 0, undef, $event);
            $context->profile(0);
            for my $each ($on_host, $event) {
                my $commands = $each->timing->{commands};
                check($commands > 0, "no commands");
                check($each->command($_)->{name} ne "", "a command without a name") for 0 .. $commands - 1;
            }
        } else {
            my $enqueue = "enqueue_$operation";
            $context->$enqueue($kind, $n, $given, 0, $result, 0, $options, $event);
        }
        $result = $given if $operation =~ /^(sort|sort_pairs|kernel|times)$/;
    }
    $event->finish;
    check($event->done, "not done");
    return ($read->($result, $out_type, $count), $second);
}

sub refused {
    my ($call) = @_;
    my $done = eval { $call->(); 1 };
    check(!$done, "a call that should die");
    return $@;
}

my $context = Gpcl::Context->new;
my $host = $context->describe->{selector} eq "host";
my $passed = 0;
open my $cases, "<", $ARGV[0] or die $!;
for my $line (grep { /^[a-z]/ } <$cases>) {
    chomp $line;
    my ($operation, $type, @fields) = split " ", $line;
    my %field = map { split /=/, $_, 2 } @fields;
    my $fails = $host && $field{host_fails} || $field{fails};
    for my $way ($buffers_alone{$operation} ? \&through_buffers : (\&call, \&through_buffers)) {
        for my $packed (0, 1) {
            my @got = eval { $way->($context, $operation, $type, \%field, $packed) };
            if (my $error = $@) {
                die $error unless ref $error;
                check($fails && $error->status == constant($fails), "$line: $error");
                check("$error" eq $error->message && length $error, $line);
                check($host || index($error->build_log, $field{log} // "") >= 0, $line);
                next;
            }
            check(!$fails, $line);
            check(same($got[0], $field{index_type} // $type, $field{out}), $line);
            check(!defined $got[1] || same($got[1], $field{value_type} // $type, $field{values_out} // $field{out}), $line);
        }
    }
    ++$passed;
}

check($context->sort($Gpcl::UINT64, [18446744073709551615, 5])->[1] == 18446744073709551615, "all 64 bits");
check($context->sort($Gpcl::FLOAT32, ["1.5", "-2"])->[0] == -2, "numbers that are strings");
my $keys = pack "l*", 2, 1;
check($context->sort($Gpcl::INT32, $keys) eq pack("l*", 1, 2) && $keys eq pack("l*", 2, 1), "the argument stays as it is");
my $tail = pack "Cl*", 0, 2, 1;
$tail =~ s/^.//s; # now it does not lie where an int32 should
check($context->sort($Gpcl::INT32, $tail) eq pack("l*", 1, 2), "packed strings anywhere");
refused(sub { $context->sort($Gpcl::INT32, [1, "two"]) });
refused(sub { $context->sort($Gpcl::INT32, undef) });
check(refused(sub { $context->sort($Gpcl::INT32, "123456") })->status == $Gpcl::ERROR_OPTION, "half an element");
check(refused(sub { Gpcl::Context->new("no such device") })->status == $Gpcl::ERROR_NO_DEVICE, "no device");
check(Gpcl::devices() >= 1 && Gpcl::device(0)->{name} ne "" && Gpcl::algorithm($Gpcl::SCAN, 0)->{name} ne "", "lists");
$context->close;
refused(sub { $context->sort($Gpcl::INT32, [1]) });
print "$passed cases passed\n";
