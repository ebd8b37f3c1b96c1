"""Commands for maintaining the project, which are not part of the package."""
