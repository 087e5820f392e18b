"""The work of a whole class: handed out, collected, turned into grades, and handed back."""
