"""People: who they are, their accounts, what they have played and how well."""
