"""The Space: interactive pages on the library, in English and Chinese.

The library computes every number. Pure functions make tables, figures and texts of them; `pages` lay them out; `app`
puts the pages together and serves them. `words` holds all sentences, `limits` how much a visitor may ask. Visitors take
`turns`; what each asks for is done in a process of its own, a `sandbox`. Only `app`, `api` and `guard` import Gradio.
"""
