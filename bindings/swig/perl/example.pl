use Gpcl;
my $context = Gpcl::Context->new; # the best device; or "gpu", "cpu", "host"
print "@{$context->sort($Gpcl::FLOAT32, [3.5, -1, 2.25])}\n";
print "@{$context->scan($Gpcl::INT32, [1, 2, 3, 4])}\n";
print "@{$context->matmul($Gpcl::FLOAT64, 2, 2, 2, [1, 2, 3, 4], [5, 6, 7, 8])}\n";
my $options = Gpcl::ScanOptions->new;
$options->{operator_source} = "no_such_function(a, b)";
$options->{operator_identity} = "0";
eval { $context->scan($Gpcl::FLOAT32, [1, 2], $options) };
print "expected error: $@\n", $@->build_log, "\n";
