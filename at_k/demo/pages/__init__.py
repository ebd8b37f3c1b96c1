"""The pages, a file each: `POSITION` is its place among them, `build` lays it out. Add a page by adding a file.

The title of a page is the word "{name}.title" in `at_k.demo.words`.
"""
