"""The interactive report: one HTML file that needs no network and runs in any browser."""

from .render import Report, render, save, write_html

__all__ = ["Report", "render", "save", "write_html"]
