"""Plain figures -> SVG by strings, and PNG: what pages without scripts and link previews show. No matplotlib, no clock.

`plate` lays out title, legend, panels and notes; `panel` one panel; each kind of figure has a module that draws its marks in a
`frame`. Colours are classes (`theme`), so that one file serves both themes.
"""
