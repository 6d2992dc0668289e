"""Sphinx configuration of the documentation site: `make docs`.

The source folder is the root of the repository, so that the links of the pages are those of a code
host: `sphinx-build -c docs . target/docs`.
"""

import logging
import os
import sys
from functools import partialmethod
from pathlib import Path

from evenair import __version__
from jupyter_client import KernelManager
from nbclient import NotebookClient

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "_ext"))
logging.getLogger("traitlets").setLevel(logging.WARNING)  # not each kernel that starts
# Without encryption, which is the default, each kernel prints a warning.
KernelManager.transport_encryption.default_value = "auto"
# Output comes in pieces that end anywhere. MyST-NB 1.4 (nb_merge_streams) ends a line after each;
# there is no setting for what nbclient can do.
NotebookClient.__init__ = partialmethod(NotebookClient.__init__, coalesce_streams=True)
# Cells of notebooks run `evenair` as a command.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

project = "evenair"
author = "the authors of evenair"
release = version = __version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "evenair_reference", "evenair_lab", "rfc_coverage"]
root_doc = "docs/index"
include_patterns = [
    "docs/**",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "benchmarks/README.md",
    "validation/**/*.md",
]
exclude_patterns = [".*", "crates", "demo", "dist", "python", "report", "target", "tests"]

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4  # the slugs of a code host
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300  # per cell, seconds, on a busy machine
nb_execution_in_temp = True

smartquotes = False  # "--set" is an option

autodoc_member_order = "bysource"
autodoc_typehints = "signature"

html_theme = "furo"
html_title = "evenair"
html_extra_path = ["_static/index.html"]  # leads from the root to the first page
html_show_copyright = False
