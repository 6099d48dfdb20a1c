#!/bin/sh
# man.sh GPCL FILE: writes the manual page gpcl(1), made from the command's own help, so that the two can't drift apart.
# SPDX-License-Identifier: MIT
set -eu
gpcl=$1
exec >"$2"
date=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%Y-%m-%d)

# Reads help from CLI11 and prints its options and positionals as roff.
options() {
    awk '
        function roff(text) { gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text); gsub(/`/, "", text); return text }
        function say(text) { if (text ~ /^[.'"'"']/) text = "\\&" text; print roff(text) }
        /^(Options|Positionals):/ { inside = 1; next }
        !/^ / { inside = 0 }
        !inside { next }
        /^   / { sub(/^ +/, ""); say($0); next }
        {
            sub(/^ +/, "")
            term = $0; about = ""
            if (match($0, /   */)) { term = substr($0, 1, RSTART - 1); about = substr($0, RSTART + RLENGTH) }
            sub(/\{.*\}/, "NAME", term) # the description lists the names
            sub(/ (Needs|Excludes): .*/, "", term)
            sub(/ REQUIRED/, "", term)
            gsub(/,--/, ", --", term)
            if (term ~ /^-h/) next
            print ".TP\n.B " roff(term)
            if (about != "") say(about)
        }'
}

cat <<END
.TH GPCL 1 $date "$("$gpcl" --version)" "User Commands"
.SH NAME
gpcl \\- sort, scan, reduce and multiply NumPy arrays on OpenCL devices
.SH SYNOPSIS
.B gpcl
.I COMMAND
.RI [ OPTION ...]
.RI [ FILE ...]
.SH DESCRIPTION
$("$gpcl" --help | sed 1q)
They run on a GPU where there is one, and on the CPU where there is none, even without OpenCL.
.PP
Files are NumPy's .npy, versions 1 to 3, of either byte order; output is little\\-endian. It is written to a temporary file
and renamed when it is whole; it may have the name of an input, which it then replaces.
.SH COMMANDS
END
for command in $("$gpcl" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z][a-z0-9-]*\).*/\1/p'); do
    help=$("$gpcl" "$command" --help)
    echo "$help" | sed -n 's/-/\\-/g; 1h; s/^Usage: /.SS /p; 2{x; s/$/./p}'
    echo "$help" | options
done
cat <<'END'
.SH ENVIRONMENT
.TP
.B GPCL_DEVICE
the device, where \-\-device is not given
.TP
.B GPCL_CACHE_DIR
the folder of built programs; else gpcl in the XDG cache folder
.TP
.B GPCL_TUNING
the file of gpcl tune; else gpcl/tuning in the XDG configuration folder; off: none
.TP
.B GPCL_PLACES
the file of what \-\-device auto measures; else gpcl/places in the XDG configuration folder; off: none
.TP
.B GPCL_CACHE=off
keeps no built programs
.TP
.B GPCL_PROVE=off
algorithms are chosen without a proof that they are right on the device
.TP
.B GPCL_DEVICE_MEMORY
the most device memory to take, in bytes or with K, M, G or T behind the number; what is larger goes piece by piece
.TP
.B GPCL_PINNED_BYTES
how much host memory large copies may pin, at most 256 MiB
.TP
.B GPCL_STAGING
the least array, in bytes, that is copied through pinned memory by several threads; 0: none
.TP
.B GPCL_OPENCL_LIBRARY
another OpenCL loader than libOpenCL.so.1
.SH EXIT STATUS
0 success; 1 failure, with one line on standard error; 2 wrong usage.
.SH EXAMPLES
.nf
gpcl sort x.npy sorted.npy \-\-time
gpcl reduce x.npy \-\-op maximum
gpcl scan x.npy running.npy \-\-operator "a + b" \-\-identity 0 \-\-device cpu
.fi
END
