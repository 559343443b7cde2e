"""What a crawl is still to ask for, and how often each host may be asked."""
