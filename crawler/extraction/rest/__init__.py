"""The rest of a page: all Chinese text of its response outside the article, and the unread parts."""
