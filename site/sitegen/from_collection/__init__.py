"""The content of a site, made from a collection: public form, lessons, data of the engine."""
