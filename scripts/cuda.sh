#!/bin/sh
# Compiles the kernels of impls/gpu with nvcc, and writes them as C arrays, for builds with CUDA=1.
# Usage: cuda.sh NVCC FOLDER >TABLE
# Environment:
#   CUDA_ARCHS  architectures, such as "75 90"; default: 90 and the oldest that nvcc has
set -eu
nvcc=$1 folder=$2
oldest=$("$nvcc" --list-gpu-arch | sed -n '1s/compute_//p')
: "${CUDA_ARCHS:=$oldest 90}"
codes=
for arch in $CUDA_ARCHS; do
    codes="$codes -gencode arch=compute_$arch,code=sm_$arch"
    newest=$arch
done
# Newer devices compile this at run time.
codes="$codes -gencode arch=compute_$newest,code=compute_$newest"
mkdir -p "$folder"
table=
for file in impls/gpu/*.cl; do
    name=$(basename "$file" .cl)
    case $name in dialect | documents) continue ;; esac
    cat impls/gpu/dialect.cl impls/gpu/documents.cl "$file" >"$folder/$name.cu"
    # shellcheck disable=SC2086 # flags are a list of words
    "$nvcc" -O3 -Werror all-warnings $codes -fatbin -o "$folder/$name.fatbin" "$folder/$name.cu"
    echo "static const unsigned char ${name}_binary[] __attribute__((aligned(16))) = {"
    od -An -v -tx1 "$folder/$name.fatbin" | sed 's/ *\([0-9a-f][0-9a-f]\)/0x\1,/g'
    echo '};'
    table="$table    {\"$name\", ${name}_binary},
"
done
echo 'struct binary {'
echo '    const char *name;'
echo '    const unsigned char *bytes;'
echo '};'
printf 'static const struct binary binaries[] = {\n%s    {NULL, NULL}};\n' "$table"
