"""Compiles the modules that play a fixture into a wheel for this machine, by mypyc, and some C.

A build hook of hatchling, off by default: `HATCH_BUILD_HOOK_ENABLE_CUSTOM=true pip wheel .`. The
modules are the same; where their compiled form cannot be loaded, Python takes the sources. What is
written in C is a second form of a function of some module, which imports it if it is there.
"""

from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledModules(BuildHookInterface[Any]):
    """Adds extension modules to a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and say where the results belong."""
        self._folder = Path(mkdtemp(prefix="perudo-arena-"))
        if version == "editable":
            return  # what is edited must be what runs
        build_data["pure_python"], build_data["infer_tag"] = False, True
        for path in self._compile(self._folder / "built"):
            build_data["force_include"][str(path)] = str(path.relative_to(self._folder / "built"))

    def finalize(self, *_: object) -> None:
        """Remove what only the build needed."""
        rmtree(self._folder)

    def _compile(self, built: Path) -> list[Path]:
        from mypyc.build import mypycify
        from setuptools import Distribution, Extension

        options, modules = self.config["mypy"], self.config["modules"]
        sources = str(self._folder / "c")
        extensions = mypycify([*options, *modules], opt_level="3", target_dir=sources)
        for path in map(Path, self.config["c"]):
            name = ".".join(path.with_suffix("").parts)
            extensions.append(Extension(name, [str(path)], extra_compile_args=["-O3"]))
        arena = Distribution({"name": "arena", "ext_modules": extensions})
        build = arena.get_command_obj("build_ext")
        build.build_lib, build.build_temp = str(built), str(self._folder / "temp")
        build.ensure_finalized()
        build.run()
        return sorted(built.rglob("*.so"))
