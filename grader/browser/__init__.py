"""The grader inside a browser page, with the same definitions, comparison and sentences.

`page` runs in the browser, in Pyodide. `shipping` runs where a site is built, and makes the data.
"""
