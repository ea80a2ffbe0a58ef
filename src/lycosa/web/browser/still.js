// The document as markup, without scripts: shadow trees and frames of the same origin stand in place.
// Runs in a world of its own, where the page has changed nothing.
(limit, ...shut) => {
  const VOID = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
  const LEFT_OUT = new Set(["script", "noscript", "template"]);
  const ADDRESSES = new Set(["href", "src", "action", "poster", "data"]);
  const trees = new Map();  // those that only the browser can tell of: host, tree, host, tree …
  for (let i = 0; i < shut.length; i += 2) trees.set(shut[i], shut[i + 1]);
  const out = [];
  let length = 0;
  const put = text => { out.push(text); length += text.length; };
  const escaped = text => text.replace(/[&<>\u00a0]/g, c => ({"&": "&amp;", "<": "&lt;", ">": "&gt;"})[c] ?? "&nbsp;");
  const quoted = text => text.replace(/[&"<>]/g, c => ({"&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;"})[c]);

  const attributes = (element, base) => {
    let said = "";
    for (const {name, value} of element.attributes) {
      if (/^on/i.test(name) || /^\s*javascript:/i.test(value) || name === "srcdoc" || name === "nonce") continue;
      if (!/^[^\s"'<>\/=\u0000]+$/.test(name)) continue;
      let shown = value;
      if (base && ADDRESSES.has(name)) try { shown = new URL(value, base).href; } catch {}
      said += ` ${name}="${quoted(shown)}"`;
    }
    return said;
  };
  const isData = element => /^application\/ld\+json/i.test(element.type ?? "");
  const rules = element => {
    if (element.textContent || !element.sheet) return element.textContent;
    try { return Array.from(element.sheet.cssRules, rule => rule.cssText).join("\n"); } catch { return ""; }
  };
  const framed = element => { try { return element.contentDocument; } catch { return null; } };

  // A stack of its own: documents may be deeper than calls.
  const stack = [[document.documentElement, ""]];
  const children = (nodes, base) => { for (let i = nodes.length - 1; i >= 0; i--) stack.push([nodes[i], base]); };
  const open = (element, base) => {
    const name = element.localName;
    if (LEFT_OUT.has(name) && !isData(element)) return;
    if (!/^[a-z][^\s"'<>\/\u0000]*$/i.test(name)) return;
    const frame = name === "iframe" || name === "frame" ? framed(element) : null;
    const content = frame?.body;
    if (content && content.childNodes.length) {
      put("<div>");
      stack.push(["</div>", ""]);
      children(content.childNodes, frame.baseURI);
      return;
    }
    put(`<${name}${attributes(element, base)}>`);
    if (VOID.has(name)) return;
    stack.push([`</${name}>`, ""]);
    if (name === "style" || name === "script") {
      put((name === "style" ? rules(element) : element.textContent).replace(/<\/(?=style|script)/gi, "<\\/"));
    } else if (name === "slot" && element.getRootNode() instanceof ShadowRoot) {
      const given = element.assignedNodes();
      children(given.length ? given : element.childNodes, base);
    } else {
      children((element.shadowRoot ?? trees.get(element) ?? element).childNodes, base);
    }
  };
  put("<!DOCTYPE html>");
  let cut = false;
  while (stack.length) {
    const [node, base] = stack.pop();
    if (typeof node === "string") put(node);
    else if (length > limit) cut = true;
    else if (node.nodeType === Node.ELEMENT_NODE) open(node, base);
    else if (node.nodeType === Node.TEXT_NODE) put(escaped(node.data.slice(0, limit)));
  }
  return {url: document.URL, html: out.join(""), cut};
}
