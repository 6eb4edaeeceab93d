"""Plain figures -> print: matplotlib without pyplot, no database, no clock. The same figure gives the same bytes.

`plate.draw_plate` lays the panels of a permalink out at a width in mm and stamps them; `saving` makes SVG, PDF and PNG of it;
`style` holds colours, hatches and markers; every kind of figure has a module of its own that draws one panel.
"""
