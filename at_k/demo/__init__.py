"""The Space: interactive pages on the library, in English and Chinese.

Pure functions make numbers, tables, figures and texts; `pages` lay them out; `app` puts the pages together and serves
them. `words` and `limits` say what may be said and asked. Only `app`, `api`, `i18n`, `plots`, `theme`, `files` and
`pages` import Gradio.
"""
