"""The pages, a file each: `POSITION` says where, `build` lays the page out. A page is added by adding a file.

The title of a page is the word "{name}.title" in `at_k.demo.words`.
"""
