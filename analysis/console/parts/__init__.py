"""Components that several pages of the console use. They show foreign content as text, never as markup."""
