"""The grader inside a page: the same definitions, comparison and sentences, in the browser.

`page` runs there, in Pyodide. `shipping` runs where a site is built, and makes its data.
"""
