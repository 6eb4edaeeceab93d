"""`{% isolate "row" archive.pk %}...{% endisolate %}`: a part of a page that is replaced by a note where it fails."""

from __future__ import annotations

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from webapp.http import byte_pages, isolation

register = template.Library()
_NOTES = {
    "row": '<tr class="left-out"><td colspan="99"><small>{}</small></td></tr>',
    "item": '<li class="left-out"><small>{}</small></li>',
    "block": '<p class="notice left-out">{}</p>',
}


class _IsolateNode(template.Node):
    def __init__(self, nodelist: template.NodeList, form: str, which: template.base.FilterExpression) -> None:
        self.nodelist, self.form, self.which = nodelist, form, which

    def render(self, context: template.Context) -> SafeString:
        """The part, or a note. A failure leaves the context unchanged, since tags push onto it by `with`."""
        pieces = context.get(byte_pages.PIECES_KEY)
        count = len(pieces) if pieces is not None else 0
        try:
            return self.nodelist.render(context)
        except Exception as error:
            if isolation.is_database_unusable(error):
                raise
            isolation.log_failure(f"{self.form} of {self.which.token}", self.which.resolve(context, ignore_failures=True))
            if pieces is not None:
                del pieces[count:]
            return mark_safe(_NOTES[self.form].format(escape(isolation.FAILURE_NOTE)))  # noqa: S308 made of escaped parts


@register.tag
def isolate(parser: template.base.Parser, token: template.base.Token) -> _IsolateNode:
    """`{% isolate FORM WHICH %}`; FORM is row, item or block, WHICH an expression that the log shows."""
    _, form, which = token.split_contents()
    nodelist = parser.parse(("endisolate",))
    parser.delete_first_token()
    return _IsolateNode(nodelist, form, parser.compile_filter(which))
