#!/usr/bin/env bash
# Makes tests/sass/data/sm_*.txt.zst again: the words of tests/sass/kernels as nvcc compiles them, words made by
# flipping bits of those, and words of every row of the tables, each with the text that nvdisasm prints.
#
#   SASS_ORACLE=build/release/tests/sass/sass_oracle NVDISASM=…/nvdisasm VOLTA_NVDISASM=…/nvdisasm VOLTA_PTXAS=…/ptxas \
#     tests/sass/tools/make_corpus.sh [SM…]
#
# NVCC and NVDISASM are for sm_75 and later (from CUDA 13; default: nvcc). VOLTA_PTXAS and VOLTA_NVDISASM still know sm_70
# (CUDA 11.8); the one gets the PTX of sm_75 with its header changed. Where CUDA 13's nvdisasm is on another machine, run
# `sass_oracle ask` there: the words are in the file that it is given.
set -euo pipefail

: "${SASS_ORACLE:?the program sass_oracle}"
nvcc=${NVCC:-nvcc}
mutations=${MUTATIONS:-44000}
of_each_row=${OF_EACH_ROW:-8}
root=$(cd "$(dirname "$0")/../../.." && pwd)
kernels=$root/tests/sass/kernels
data=$root/tests/sass/data
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
architectures=("$@")
[ ${#architectures[@]} -gt 0 ] || architectures=(70 75 80 86 89 90)

compile() {  # SM
  local source name
  for source in "$kernels"/*.cu; do
    name=$(basename "$source" .cu)
    if [ "$1" = 70 ]; then
      [ "$name" != hopper ] || continue
      "$nvcc" -DVOLTA -ptx -std=c++17 -arch=compute_75 -o "$work/$name.ptx" "$source"
      sed -i -E 's/^\.version .*/.version 7.8/; s/^\.target .*/.target sm_70/' "$work/$name.ptx"
      "${VOLTA_PTXAS:?a ptxas that knows sm_70}" -arch=sm_70 -o "$work/$name.70.cubin" "$work/$name.ptx"
    elif [ "$name" = hopper ]; then
      [ "$1" = 90 ] || continue
      "$nvcc" -cubin -std=c++17 -arch=sm_90a -o "$work/$name.90.cubin" "$source"
    else
      "$nvcc" -cubin -std=c++17 -arch="sm_$1" -o "$work/$name.$1.cubin" "$source"
    fi
  done
}

# Keeps what the oracle calls an instruction; the offset only where a target depends on it.
entries() {
  awk '{ text = $0; sub(/^[^ ]+ [^ ]+ [^ ]+ [^ ]+ /, "", text)
         if (NF > 4 && text !~ /\?\?\?|INVALID/) print $1, $2, $4 "\t" text }' "$1"
}

for sm in "${architectures[@]}"; do
  compile "$sm" > /dev/null 2>&1
  "$SASS_ORACLE" collect --sm "$sm" --out "$work/words" "$work"/*."$sm".cubin
  "$SASS_ORACLE" mutate --sm "$sm" --count "$mutations" --words "$work/words" --out "$work/mutated"
  "$SASS_ORACLE" rows --sm "$sm" --count "$of_each_row" --out "$work/rows"
  if [ "$sm" = 70 ]; then oracle=${VOLTA_NVDISASM:?an nvdisasm that knows sm_70}; else oracle=${NVDISASM:?the program nvdisasm}; fi
  for kind in words mutated rows; do
    "$SASS_ORACLE" ask --sm "$sm" --nvdisasm "$oracle" --folder "$work" --words "$work/$kind" --out "$work/$kind.answers"
  done
  {
    echo "# compiled"
    entries "$work/words.answers"
    echo "# mutated"
    entries "$work/mutated.answers"
    echo "# rows"
    entries "$work/rows.answers"
  } > "$work/sm_$sm.txt"
  grep -vc '^#' "$work/sm_$sm.txt" | sed "s/^/sm_$sm: entries: /"
  zstd -q -19 -f "$work/sm_$sm.txt" -o "$data/sm_$sm.txt.zst"
done
