"""The Space: interactive pages on the library, in English and Chinese.

The library computes every number. Pure functions make tables, figures and texts of them; `pages` lay them out; `app`
puts the pages together and serves them. `words` holds all sentences, `limits` how much a visitor may ask. Only `app`,
`api`, `gradio_patches`, `i18n`, `plots`, `theme`, `files` and `pages` import Gradio.
"""
