"""The grader inside a page: the same definitions, comparison and words, in Python in the browser.

`page` runs there, in Pyodide. `shipping` runs where a site is built, and makes what `page` needs.
"""
