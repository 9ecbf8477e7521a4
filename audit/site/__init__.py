"""The static site: every claim a page that opens from disk, offline, without a server."""

from audit.site.build import SiteError, build

__all__ = ["SiteError", "build"]
