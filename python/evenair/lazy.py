"""Packages whose public names are imported on first use, so that commands start fast."""

import sys

TYPE_CHECKING = False  # see evenair/__init__.py
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def lazy_names(
    package: str, modules: "Mapping[str, str]"
) -> "tuple[Callable[[str], object], Callable[[], list[str]]]":
    """Return `__getattr__` and `__dir__` (PEP 562) for a package.

    `modules` maps each public name to the module, relative to the package, that defines it; a
    module of the package itself has an empty text.
    """
    namespace = vars(sys.modules[package])

    def getattribute(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module  # imports others; this package is imported at once

        if modules[name]:
            value = getattr(import_module(f"{package}.{modules[name]}"), name)
        else:
            value = import_module(f"{package}.{name}")
        namespace[name] = value
        return value

    def directory() -> list[str]:
        # Neither helpers of the package nor its modules, which are there once they are used.
        return sorted({*modules, *(name for name in namespace if name.startswith("__"))})

    return getattribute, directory
