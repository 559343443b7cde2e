"""Words for people: labels, templates, the Chinese catalogue, and foreign text made safe to display."""
