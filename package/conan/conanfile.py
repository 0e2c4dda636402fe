# A recipe of the checkout that it lies in, for Conan 2: conan create package/conan
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.gnu import PkgConfigDeps


class Jackdaw(ConanFile):
    name = "jackdaw"
    license = "MIT"
    description = "A parallel garbage collector for C and C++, and the marking engine it is built on"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": True}
    requires = "hwloc/[>=2.9 <3]"

    @property
    def _checkout(self):
        return os.path.join(self.recipe_folder, os.pardir, os.pardir)

    def set_version(self):
        text = load(self, os.path.join(self._checkout, "CMakeLists.txt"))
        self.version = re.search(r"project\(jackdaw VERSION ([0-9.]+)", text).group(1)

    def export_sources(self):
        copy(self, "*", self._checkout, self.export_sources_folder, excludes=("build/*", ".git/*"))

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for part in ("TOOLS", "TESTS", "BENCH"):
            toolchain.variables[f"JACKDAW_BUILD_{part}"] = False
        toolchain.variables["JACKDAW_BUILD_SHARED"] = bool(self.options.shared)
        toolchain.variables["JACKDAW_BUILD_STATIC"] = not self.options.shared
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # Programs find jackdawConfig.cmake and the files for pkg-config as they are installed.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "jackdaw")]
