-- {{< etude-exercise attention/gelu "GELU" >}} shows an exercise of the site that `etude-site-url` names in
-- `_quarto.yml`. What is not HTML gets a link.
return {
  ["etude-exercise"] = function(args, _, meta)
    local url = pandoc.utils.stringify(meta["etude-site-url"] or "")
    if url == "" then
      error("set etude-site-url in _quarto.yml, such as https://example.org/numpy/")
    end
    local site = url:gsub("/+$", "") .. "/"
    local path = pandoc.utils.stringify(args[1])
    local text = args[2] and pandoc.utils.stringify(args[2]) or path
    local address = site .. path:gsub("^/+", ""):gsub("/+$", "") .. "/"
    local link = pandoc.Link(text, address)
    if not quarto.doc.is_format("html:js") then
      return pandoc.Para({ link })
    end
    quarto.doc.include_text("in-header", '<script defer src="' .. site .. 'embed.js"></script>')
    return pandoc.Div({
      pandoc.RawBlock("html", '<etude-exercise src="' .. address .. '">'),
      pandoc.Plain({ link }),
      pandoc.RawBlock("html", "</etude-exercise>"),
    })
  end,
}
