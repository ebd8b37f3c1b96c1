"""Every option, declared once in `options.toml`: its name, type, meaning, default, check, and spelling as a flag."""
