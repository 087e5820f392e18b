/*
 * MyST plugin (Jupyter Book 2): `etude-exercise` shows an exercise of an Etude site, and is a link where
 * there are no frames. A theme of MyST runs no scripts of a page, so the frame keeps one height.
 */
const directive = {
  name: "etude-exercise",
  doc: "An exercise of an Etude site, by its address.",
  arg: { type: String, required: true, doc: "such as https://example.org/numpy/attention/gelu/" },
  body: { type: String, doc: "the text of the link" },
  run({ arg, body }) {
    const address = `${arg.replace(/\/+$/, "")}/`;
    const link = { type: "link", url: address, children: [{ type: "text", value: body ?? address }] };
    return [
      { type: "iframe", src: `${address}?embed`, title: body ?? "Exercise", width: "100%" },
      { type: "paragraph", children: [link] },
    ];
  },
};

export default { name: "Etude", directives: [directive] };
