"""Plain figures -> SVG by strings, and from that PDF and PNG: for pages, link previews and paper. No clock: equal figures give
equal bytes.

`plate` lays out title, legend, panels and notes; `panel` one panel; each kind of figure has a module that draws its marks in a
`frame`. Colours are classes (`looks`), so that one file serves both themes.
"""
