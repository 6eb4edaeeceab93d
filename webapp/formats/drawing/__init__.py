"""Plain figures -> print: matplotlib without pyplot, no database, no clock. The same figure gives the same bytes.

`plate.draw_plate` lays out the panels of a permalink at a width in mm with a footer; `saving` writes SVG, PDF and PNG;
`style` has colours, hatches and markers; each kind of figure has a module that draws one panel.
"""
