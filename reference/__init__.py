"""The trusted implementation that submissions are compared with: NumPy only, one concept a module.

Functions are named by module, as exercises name them: `reference.attention:attention_weights`.

What all of them keep:

- Any number of leading batch axes, which broadcast against each other as NumPy's do.
- The result's dtype follows the inputs; integers and booleans count as float64.
- Inputs are never changed, and a result never shares memory with one.
- A `ValueError` names the shapes that do not go together.
- A query whose keys are all blocked gets zeros; masks are boolean (True means blocked) or additive.
- Random numbers come from a generator that the caller passes.

No module is imported here: grading one exercise needs few of them.
"""
