"""Who answers for a site: what its stored pages print, and what DNS and RDAP servers answer."""
