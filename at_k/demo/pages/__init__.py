"""The pages, a file each: `POSITION` is its place among them, `write_section` writes it. Add a page by adding a file.

The title of a page is the word "{name}.title" in the catalogue `pages.po`.
"""
