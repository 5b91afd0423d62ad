"""The recipe of Tutti for Spack 1.0 or newer.

spack repo add packaging/spack/spack_repo/tutti
spack install tutti +mpi
"""

from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Tutti(CMakePackage):
    """MPI-style collectives among the threads of one process."""

    # The clone that this recipe is in.
    git = Path(__file__).resolve().parents[6].as_uri()

    license("Apache-2.0", checked_by="The Tutti maintainers")

    version("main", branch="main")

    variant("shared", default=True, description="Build shared libraries")
    variant("mpi", default=False, description="Build the component mpi, clusters of MPI processes")

    variant("tbb", default=False, description="Have the component tbb, tasks of oneTBB")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    # By which CMake finds hwloc.
    depends_on("pkgconfig", type="build")
    depends_on("hwloc@2:")
    depends_on("mpi", when="+mpi")
    depends_on("tbb", when="+tbb")

    requires("platform=linux")

    def cmake_args(self):
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("TUTTI_BUILD_MPI", "mpi"),
            self.define_from_variant("TUTTI_BUILD_TBB", "tbb"),
            self.define("TUTTI_BUILD_COMMAND", False),
            self.define("TUTTI_BUILD_FORTRAN", False),
            self.define("TUTTI_BUILD_TESTS", False),
        ]
