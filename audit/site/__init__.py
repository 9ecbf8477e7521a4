"""The static site: every claim a page that opens from disk, offline, without a server.

It is built by `audit.site.build`; nothing is loaded before, since its pages take a second to load.
"""
