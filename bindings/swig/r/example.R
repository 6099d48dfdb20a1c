# example.R FOLDER: what the folder of gpcl.so and gpcl.R can do.
folder <- commandArgs(TRUE)[1]
dyn.load(file.path(folder, "gpcl.so"))
source(file.path(folder, "gpcl.R"))
cacheMetaData(1)
context <- Context("") # the best device; or "gpu", "cpu", "host"
sorted <- context$sort(FLOAT32, c(3.5, -1, 2.25))
sums <- context$scan(INT32, 1:4)
product <- context$matmul(FLOAT64, 2, 2, 2, c(1, 2, 3, 4), c(5, 6, 7, 8))
pairs <- context$sort_pairs(INT32, c(2L, 1L), FLOAT64, c(0.5, 1.5))
print(list(sorted, sums, product, pairs))
stopifnot(sorted == c(-1, 2.25, 3.5), sums == c(1, 3, 6, 10), product == c(19, 22, 43, 50), pairs[[2]] == c(1.5, 0.5))
options <- ScanOptions()
options$operator_source <- "no_such_function(a, b)"
options$operator_identity <- "0"
failure <- tryCatch(context$scan(FLOAT32, c(1, 2), options), gpcl_error = function(failure) failure)
cat("expected error:", failure$message, failure$build_log, sep = "\n")
stopifnot(failure$status %in% c(ERROR_BUILD, ERROR_UNSUPPORTED_DEVICE))
