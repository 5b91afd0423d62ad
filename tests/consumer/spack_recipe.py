"""spack_recipe.py REPOSITORY SOURCE CACHE: checks Spack's recipe of SOURCE, without Spack.

That it compiles, that the options that it sets are there in CACHE, a CMakeCache.txt, and its variants in itself, and that it names this
tree and the CMake that this tree needs.
"""

import pathlib
import re
import sys

repository, source, cache = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
recipe = repository / "packages/tutti/package.py"
text = recipe.read_text()
compile(text, recipe, "exec")
options = re.findall(r"^(\w+):\w+=", cache.read_text(), re.M)
variants = re.findall(r'variant\("(\w+)", default', text)
assert variants == ["shared", "mpi", "tbb"], variants
chosen = dict(re.findall(r'self\.define_from_variant\("(\w+)", "(\w+)"\)', text))
assert chosen == {"BUILD_SHARED_LIBS": "shared", "TUTTI_BUILD_MPI": "mpi", "TUTTI_BUILD_TBB": "tbb"}, chosen
for option in [*chosen, *re.findall(r'self\.define\("(\w+)", False\)', text)]:
    assert option in options, f"the tree has no option {option}"
needed = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", (source / "CMakeLists.txt").read_text())[1]
for line in (f'depends_on("cmake@{needed}:", type="build")', 'depends_on("mpi", when="+mpi")', 'depends_on("tbb", when="+tbb")',
             'license("Apache-2.0", '):
    assert line in text, f"the recipe has no {line}"
up = int(re.search(r"Path\(__file__\)\.resolve\(\)\.parents\[(\d+)\]", text)[1])
assert recipe.parents[up] == source, f"the recipe builds {recipe.parents[up]}"
assert f"namespace: {repository.name}\n" in (repository / "repo.yaml").read_text()
