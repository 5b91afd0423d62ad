"""spack_recipe.py REPOSITORY SOURCE CACHE: checks Spack's recipe of SOURCE, without Spack.

That it compiles, that the options that it sets for each choice of its variants are there in CACHE, a CMakeCache.txt,
and that it names this tree and the CMake that this tree needs.
"""

import itertools
import pathlib
import py_compile
import re
import runpy
import sys
import tempfile
import types
import urllib.parse

repository, source, cache = (pathlib.Path(argument) for argument in sys.argv[1:])
recipe = repository / "packages/tutti/package.py"
with tempfile.TemporaryDirectory() as directory:
    py_compile.compile(str(recipe), cfile=f"{directory}/package.pyc", doraise=True)

said = []  # (directive, its arguments, its named arguments)


class CMakePackage:
    """What the recipe uses of Spack's class of this name."""

    def __init__(self, chosen):
        self.chosen = chosen

    @staticmethod
    def define(option, value):
        return option, value

    def define_from_variant(self, option, variant):
        return option, self.chosen[variant]


def directive(name):
    return lambda *arguments, **named: said.append((name, arguments, named))


package = types.ModuleType("spack.package")
for name in ("license", "version", "variant", "depends_on", "requires"):
    setattr(package, name, directive(name))
build_system = types.ModuleType("cmake")
build_system.CMakePackage = CMakePackage
sys.modules.update({"spack": types.ModuleType("spack"), "spack.package": package,
                    "spack_repo.builtin.build_systems.cmake": build_system})
for parent in ("spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
    sys.modules[parent] = types.ModuleType(parent)
recipe_class = runpy.run_path(str(recipe))["Tutti"]

options = dict(re.findall(r"^(\w+):\w+=(.*)$", cache.read_text(), re.M))
variants = [arguments[0] for name, arguments, _ in said if name == "variant"]
assert variants == ["shared", "mpi", "tbb"], variants
for values in itertools.product((False, True), repeat=len(variants)):
    chosen = dict(zip(variants, values))
    arguments = dict(recipe_class(chosen).cmake_args())
    unknown = [option for option in arguments if option not in options]
    assert not unknown, f"the tree has no options {unknown}"
    assert arguments["BUILD_SHARED_LIBS"] == chosen["shared"], arguments
    assert arguments["TUTTI_BUILD_MPI"] == chosen["mpi"], arguments
    assert arguments["TUTTI_BUILD_TBB"] == chosen["tbb"], arguments

needed = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", (source / "CMakeLists.txt").read_text())[1]
assert ("depends_on", (f"cmake@{needed}:",), {"type": "build"}) in said, f"the tree needs CMake {needed}"
for variant in ("mpi", "tbb"):
    assert ("depends_on", (variant,), {"when": f"+{variant}"}) in said
assert ("Apache-2.0",) in [arguments for name, arguments, _ in said if name == "license"]
tree = pathlib.Path(urllib.parse.urlparse(recipe_class.git).path)
assert tree == source.resolve(), f"the recipe builds {tree}"
assert f"namespace: {repository.name}\n" in (repository / "repo.yaml").read_text()
print(f"{len(said)} directives, variants {', '.join(variants)}")
