"""The pytest session that grades submissions one after another."""
