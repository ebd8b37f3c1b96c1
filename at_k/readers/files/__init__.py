"""From bytes to tables: addresses of files, their layouts, and the rows of a document."""
