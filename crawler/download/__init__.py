"""Safe downloads: name resolution, connections, proxies, the browser, and the recorded headers."""
