"""Addresses of style sheets, scripts and pictures, looked up once per process."""

from __future__ import annotations

from django import template
from django.conf import settings
from django.template.base import Parser, Token
from django.template.context import Context
from django.templatetags.static import static
from django.utils.html import escape

register = template.Library()


class _AssetNode(template.Node):
    def __init__(self, name: str) -> None:
        self._name, self._address = name, ""

    def render(self, context: Context) -> str:
        if not self._address or settings.DEBUG:
            self._address = escape(static(self._name))
        return self._address


@register.tag
def asset(parser: Parser, token: Token) -> template.Node:
    """`{% asset 'css/app.css' %}`: the address of a file of static/, with the digest of its content."""
    _, name = token.split_contents()
    return _AssetNode(name.strip("'\""))
