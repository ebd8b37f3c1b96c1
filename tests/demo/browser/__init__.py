"""Tests in a browser. They are a package, so that the browser can end with the last of them."""
