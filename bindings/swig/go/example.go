package main

import (
	"fmt"
	"os"
	"reflect"
	"strings"

	"gpcl.example/gpcl"
)

func main() {
	context := gpcl.NewContext() // the best device; or NewContext("gpu"), "cpu", "host"
	defer gpcl.DeleteContext(context)
	keys, numbers, product := []float32{3.5, -1, 2.25}, []int32{1, 2, 3, 4}, make([]float64, 4)
	context.Sort(gpcl.FLOAT32, gpcl.Bytes(keys))
	context.Scan(gpcl.INT32, gpcl.Bytes(numbers), gpcl.Bytes(numbers))
	context.Matmul(gpcl.FLOAT64, 2, 2, 2, gpcl.Bytes([]float64{1, 2, 3, 4}), gpcl.Bytes([]float64{5, 6, 7, 8}), gpcl.Bytes(product))
	fmt.Println(keys, numbers, product)
	good := reflect.DeepEqual(keys, []float32{-1, 2.25, 3.5}) && reflect.DeepEqual(numbers, []int32{1, 3, 6, 10}) &&
		reflect.DeepEqual(product, []float64{19, 22, 43, 50})
	defer func() {
		problem := fmt.Sprint(recover())
		fmt.Println("expected error:", problem)
		if !good || !(strings.HasPrefix(problem, "GP_ERROR_BUILD") || strings.HasPrefix(problem, "GP_ERROR_UNSUPPORTED_DEVICE")) {
			os.Exit(1)
		}
	}()
	options := gpcl.NewScanOptions()
	options.SetOperatorSource("no_such_function(a, b)")
	options.SetOperatorIdentity("0")
	context.Scan(gpcl.FLOAT32, gpcl.Bytes(keys), gpcl.Bytes(keys), options)
}
