"""The pages of authors: links, submissions, versions, accounts, feeds."""
