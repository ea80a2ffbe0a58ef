// Goes to the end of the page, and presses what says that there is more. Nothing that asks for consent is pressed.
() => {
  const MORE = new RegExp("^(?:\\W*)(?:" + [
    "(?:load|show|view|see) (?:\\d+ )?more(?: .{1,20})?", "more (?:results|posts|articles|items|stories|comments)",
    "(?:mehr|weitere)(?: \\S{1,20})? (?:laden|anzeigen|zeigen)", "mehr (?:ergebnisse|beiträge|artikel)",
    "(?:voir|afficher|charger) (?:plus|davantage|la suite)(?: .{1,20})?",
    "(?:ver|cargar|mostrar) más(?: .{1,20})?", "(?:ver|carregar|mostrar) mais(?: .{1,20})?",
    "(?:carica|mostra|vedi)(?: di)? (?:altr[oiea]|più)(?: .{1,20})?", "(?:meer|toon|laad) (?:laden|meer|tonen)(?: .{1,20})?",
    "(?:visa|vis|ladda|last inn|indlæs) (?:fler|flere|mer|mere)(?: .{1,20})?", "näytä lisää", "lataa lisää",
    "(?:pokaż|załaduj|zobacz) więcej(?: .{1,20})?", "(?:načíst|zobrazit) další", "(?:показать|загрузить) (?:ещё|еще|больше)(?: .{1,20})?",
    "daha fazla(?: .{1,20})?", "もっと(?:見る|読む)", "さらに(?:表示|読み込む)", "(?:加载|查看|显示)更多", "載入更多", "더 ?보기",
  ].join("|") + ")(?:\\W*)$", "iu");
  const ASIDE = /consent|cookie|gdpr|privacy|onetrust|didomi|usercentrics|banner/i;
  const isAside = element => {
    for (let at = element; at; at = at.parentElement ?? at.getRootNode().host)
      if (ASIDE.test(at.id) || ASIDE.test(at.getAttribute("class") ?? "") || at.getAttribute("role") === "dialog") return true;
    return false;
  };
  const leadsAway = element => element.localName === "a" && !/^(?:#.*|javascript:.*)?$/i.test(element.getAttribute("href") ?? "");
  const wall = new CSSStyleSheet();  // in no markup
  wall.replaceSync("html, body { overflow: visible !important; position: static !important; }");
  if (!document.adoptedStyleSheets.length) document.adoptedStyleSheets.push(wall);
  const roots = [document];
  let pressed = 0;
  for (let i = 0; i < roots.length && i < 1000; i++) {
    for (const element of roots[i].querySelectorAll("*")) {
      if (element.shadowRoot) roots.push(element.shadowRoot);
    }
    for (const element of roots[i].querySelectorAll("button, a, [role=button], input[type=button], summary")) {
      const words = (element.innerText || element.value || element.getAttribute("aria-label") || "").trim();
      if (words.length > 60 || pressed >= 10 || element.disabled || !MORE.test(words)) continue;
      if (leadsAway(element) || isAside(element) || (element.form && element.type === "submit")) continue;
      pressed += 1;
      element.click();
    }
  }
  scrollTo(0, 0);
  scrollTo(0, 1e9);
  for (const element of document.querySelectorAll("main, section, div, ul, ol")) {
    if (element.scrollHeight > element.clientHeight + 200 && element.clientHeight > 200)
      element.scrollTop = element.scrollHeight;
  }
  return pressed;
}
