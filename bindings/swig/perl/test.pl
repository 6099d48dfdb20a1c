# test.pl CASES: every case as arrays and as packed strings, then what is Perl's own.
# SPDX-License-Identifier: MIT
use strict;
use warnings;
use Gpcl;

my %format = (int8 => "c*", int16 => "s*", int32 => "l*", int64 => "q*", uint8 => "C*", uint16 => "S*", uint32 => "L*",
              uint64 => "Q*", float32 => "f*", float64 => "d*");
my %options = (sort => "Sort", sort_pairs => "Sort", argsort => "Sort", scan => "Scan", reduce => "Reduce",
               histogram => "Histogram", recurrence => "Recurrence", matmul => "Matmul",
               chain => "Sort", kernel => "Sort");
my %own = map { $_ => 1 } qw(in out values values_out value_type index_type m n k a b bins coefficients initial fails host_fails log source);

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

# The cases that go through a buffer.
sub through_buffer {
    my ($context, $operation, $type, $field, $packed, $values) = @_;
    my $n = @{list($field->{in})};
    my $buffer = Gpcl::DeviceBuffer->new($context, $n * Gpcl::dtype_size(dtype($type)));
    $buffer->write(dtype($type), $values);
    if ($operation eq "chain") {
        $context->enqueue_sort(dtype($type), $n, $buffer, 0);
        $context->enqueue_scan(dtype($type), $n, $buffer, 0, $buffer, 0);
    } else {
        my $kernel = Gpcl::Kernel->new($context, $field->{source} =~ tr/~/ /r, "f");
        my $arguments = Gpcl::Arguments->new;
        $arguments->add_buffer($buffer);
        $arguments->add_real($Gpcl::FLOAT32, 2);
        $kernel->enqueue($arguments, $n);
    }
    return $packed ? $buffer->read_packed(dtype($type), $n) : $buffer->read(dtype($type), $n);
}

sub call {
    my ($context, $operation, $type, $field, $packed) = @_;
    my $options = "Gpcl::$options{$operation}Options"->new;
    for my $key (grep { !$own{$_} } keys %$field) {
        my $value = $field->{$key};
        $options->{$key} = $value =~ /^[A-Z_]+$/ ? constant($value) : $value =~ /^-?\d+$/ && $key !~ /^operator/ ? $value + 0 : $value;
    }
    my $data = sub { my ($text, $of) = @_; return $packed ? pack($format{$of}, @{list($text)}) : list($text); };
    if ($operation eq "matmul") {
        return $context->matmul(dtype($type), $field->{m}, $field->{n}, $field->{k}, $data->($field->{a}, $type),
                                $data->($field->{b}, $type), $options);
    }
    my $in = $data->($field->{in}, $type);
    if ($operation eq "sort_pairs") {
        return $context->sort_pairs(dtype($type), $in, dtype($field->{value_type}),
                                    $data->($field->{values}, $field->{value_type}), $options);
    }
    return through_buffer($context, $operation, $type, $field, $packed, $in) if $operation eq "chain" || $operation eq "kernel";
    return $context->histogram(dtype($type), $in, $field->{bins}, $options) if $operation eq "histogram";
    if ($operation eq "recurrence") {
        return $context->recurrence(dtype($type), $in, $data->($field->{coefficients}, $type),
                                    $data->($field->{initial}, $type), $options);
    }
    return $context->argsort(dtype($type), $in, dtype($field->{index_type}), $options) if $operation eq "argsort";
    return $context->$operation(dtype($type), $in, $options);
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
    for my $packed (0, 1) {
        my @got = eval { call($context, $operation, $type, \%field, $packed) };
        if (my $error = $@) {
            die $error unless ref $error;
            check($fails && $error->status == constant($fails), "$line: $error");
            check("$error" eq $error->message && length $error, $line);
            check($host || index($error->build_log, $field{log} // "") >= 0, $line);
            next;
        }
        check(!$fails, $line);
        check(same($got[0], $field{index_type} // $type, $field{out}), $line);
        check(!$field{values_out} || same($got[1], $field{value_type}, $field{values_out}), $line);
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
