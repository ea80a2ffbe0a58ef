"""The look of the report: system fonts, light and dark, from a phone to a desk."""

CSS = """
:root{color-scheme:light dark;--paper:#fdfdfb;--ink:#22262b;--soft:#667079;--line:#e2e4e0;--card:#f4f5f1;
--one:#1a7f64;--two:#c2622d;--three:#4c6fb1;--wrong:#b3402f}
@media(prefers-color-scheme:dark){:root{--paper:#16191c;--ink:#e3e6e8;--soft:#98a2aa;--line:#2d3338;--card:#1e2327;
--one:#4cc3a0;--two:#e8935c;--three:#8aa9e6;--wrong:#ef8674}}
*{box-sizing:border-box}
body{margin:0 auto;padding:2.5rem 1.25rem 4rem;max-width:62rem;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
font-variant-numeric:tabular-nums}
h1{font-size:2rem;line-height:1.2;margin:.2rem 0 .4rem;overflow-wrap:anywhere}
h2{font-size:1.2rem;margin:2.8rem 0 .8rem;padding-top:1rem;border-top:1px solid var(--line)}
h3{font-size:.95rem;margin:0 0 .5rem}
p{margin:.4rem 0}
a{color:inherit;text-decoration-color:var(--one);text-underline-offset:.15em}
a:hover{color:var(--one)}
.kicker,.note,.soft{color:var(--soft);overflow-wrap:anywhere}
.kicker{font-size:.85rem;letter-spacing:.04em}
.note{font-size:.85rem}
.wrong{color:var(--wrong)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(7.4rem,1fr));gap:.7rem;margin:1.6rem 0 0;padding:0}
.tiles div{background:var(--card);border-radius:.5rem;padding:.7rem .9rem}
.tiles dt{color:var(--soft);font-size:.8rem}
.tiles dd{margin:0;font-size:1.35rem;font-weight:600;white-space:nowrap}
.tiles small{display:block;color:var(--soft);font-size:.78rem;font-weight:400;white-space:normal}
figure{margin:0 0 2.2rem}
figcaption{margin-bottom:.6rem}
figcaption b{margin-right:.6rem}
.key{white-space:nowrap;color:var(--soft);font-size:.85rem;margin-right:.9rem}
.key::before{content:"";display:inline-block;width:1.1em;height:.2em;margin-right:.4em;vertical-align:.25em;
border-radius:.1em;background:var(--one)}
.k2::before{background:var(--two)}
.key.dots::before{width:.5em;height:.5em;border-radius:50%;vertical-align:.05em}
.plot{position:relative;height:14rem;margin:0 .6rem 1.6rem 3.4rem;border-bottom:1px solid var(--soft)}
.plot svg{position:absolute;inset:0;width:100%;height:100%;overflow:visible}
.plot path{fill:none;stroke-width:2;vector-effect:non-scaling-stroke;stroke-linejoin:round}
.plot .rule{stroke:var(--line);stroke-width:1}
.plot .c1{stroke:var(--one)}
.plot .c2{stroke:var(--two)}
.plot .dots{stroke-width:4;stroke-linecap:round;opacity:.35}
.hover rect{fill:transparent}
.hover rect:hover{fill:var(--soft);fill-opacity:.15}
.plot span{position:absolute;font-size:.78rem;color:var(--soft);white-space:nowrap}
.plot .y{right:calc(100% + .5rem);transform:translateY(-50%)}
.plot .x{top:calc(100% + .3rem);transform:translateX(-50%)}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th{text-align:left;font-weight:500;color:var(--soft);font-size:.8rem;padding:.2rem .8rem .2rem 0;white-space:nowrap}
td{padding:.35rem .8rem .35rem 0;border-top:1px solid var(--line);vertical-align:top}
td:last-child,th:last-child{padding-right:0}
.number{text-align:right;white-space:nowrap}
.bar{display:inline-block;width:6rem;height:.55rem;border-radius:.3rem;background:var(--line);vertical-align:.05rem}
.bar i{display:block;height:100%;border-radius:.3rem;background:var(--one)}
.value{display:inline-block;min-width:3.2rem}
.url{display:block;color:var(--soft);font-size:.82rem;overflow-wrap:anywhere}
.best td:nth-child(2){width:100%;max-width:0}
.best td:nth-child(2)>*{display:block;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.best td:first-child{white-space:nowrap}
.columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(15rem,1fr));gap:2rem}
.columns>*{min-width:0}
.grow td:first-child{width:99%;overflow-wrap:anywhere}
pre{background:var(--card);border-radius:.5rem;padding:1rem;overflow-x:auto;font-size:.82rem;line-height:1.45}
summary{cursor:pointer}
footer{margin-top:3rem;color:var(--soft);font-size:.85rem}
@media(max-width:34rem){body{padding:1.4rem 1rem 3rem}h1{font-size:1.55rem}.plot{height:11rem;margin-left:2.7rem}
.plot .x:nth-of-type(even){display:none}
.best .bar,.hosts .bar{display:none}.bar{width:3.2rem}.tiles dd{font-size:1.15rem}}
@media print{body{max-width:none}.wide{overflow:visible}}
"""
