"""Reading any .ipynb that a person may hand in: bytes become cells, or one line that says why not.
Nothing is executed here, and no validator stands between a damaged notebook and its answers.
"""

from grader.notebook.read import Notebook, NotebookError, Output, first_line, read_notebook

__all__ = ["Notebook", "NotebookError", "Output", "first_line", "read_notebook"]
