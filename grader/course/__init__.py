"""The work of a whole class: collected, turned into grades, and handed back."""
