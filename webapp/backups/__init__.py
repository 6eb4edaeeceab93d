"""Backups in a folder: made while the site runs, checked before they are restored."""
