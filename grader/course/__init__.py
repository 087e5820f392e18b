"""The work of a whole class: assignments handed out, collected, graded and returned."""
