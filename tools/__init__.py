"""What is done with the project, and is not part of it."""
