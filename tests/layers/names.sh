#!/bin/bash
# names.sh [DIRECTORY]: no file of the library names a component: neither its code nor its comments, messages, pages and CMake files.
# These may be named: MPI's functions and OpenMP as such, with which pages compare, and the runtime of OpenMP, whose places pinning reads.
set -u
cd "${1:-$(dirname "$0")/../..}" || exit 1
names='[Aa]sync ?(Group|group|Request|Rank)|[Ss]ingle[ _-]?[Cc]aller|[Cc]luster|\bmpi\.h|\bMPI_Comm\b|tbb|TBB|openmp(_executor|\.h)|[Ee]xecutor'
names+='|[Aa]ccumulator|accumulate\.hpp|[Rr]eproducible|[Oo]rdered_?[Rr]educe|[Ee]xtremes\.hpp|tutti::mean\b|[Ff]ortran|tutti\.h\b|tutti_f_'
names+='|tutti_(tasks|numbers|hybrid|mpi|c|cmpi|fortran|fmpi|tbb)\b|components/|\b(tasks|numbers|hybrid|c|fortran)/(src|include)'
if grep -rnE "$names" src include topology; then
    echo "The library names a component in the lines above"
    exit 1
fi
