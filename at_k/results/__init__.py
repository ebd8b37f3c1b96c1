"""The forms of a result: the sheet that it writes itself as, and the files that hold it."""
