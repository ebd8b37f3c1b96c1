"""The Space: interactive pages on the library, in English and Chinese.

The library computes every number. `work` answers the three endpoints, `drawing` writes reports as data, and the files
of `static` draw them; `app` serves all. `words` holds the sentences, `limits` how much a visitor may ask. Visitors take
`turns`, and their work is done in the processes of `sandbox`. Only `gradio_app` imports Gradio.
"""
