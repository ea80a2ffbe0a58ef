"""The look of all reports: system fonts, light and dark, from a phone to a desk."""

CSS = """
:root{color-scheme:light dark;--paper:#fdfdfb;--ink:#22262b;--soft:#667079;--line:#e2e4e0;--card:#f4f5f1;
--one:#1a7f64;--wrong:#b3402f;
--s1:#1a7f64;--s2:#c2622d;--s3:#4c6fb1;--s4:#9a4f96;--s5:#a8871a;--s6:#c04a6b;--s7:#3b8ea5;--s8:#6b7a2a;--grey:#b9bfc4}
@media(prefers-color-scheme:dark){:root{--paper:#16191c;--ink:#e3e6e8;--soft:#98a2aa;--line:#2d3338;--card:#1e2327;
--one:#4cc3a0;--wrong:#ef8674;
--s1:#4cc3a0;--s2:#e8935c;--s3:#8aa9e6;--s4:#d08bcb;--s5:#dcbd55;--s6:#f08aa5;--s7:#6fc3da;--s8:#b3c466;--grey:#59626a}}
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
.s1{--c:var(--s1)}.s2{--c:var(--s2)}.s3{--c:var(--s3)}.s4{--c:var(--s4)}.s5{--c:var(--s5)}.s6{--c:var(--s6)}
.s7{--c:var(--s7)}.s8{--c:var(--s8)}.rest{--c:var(--grey)}.bound{--c:var(--soft)}
.key{white-space:nowrap;color:var(--soft);font-size:.85rem;margin-right:.9rem}
.key::before{content:"";display:inline-block;width:1.1em;height:.2em;margin-right:.4em;vertical-align:.25em;
border-radius:.1em;background:var(--c)}
.key.dots::before{width:.5em;height:.5em;border-radius:50%;vertical-align:.05em}
.key.bound::before{background:none;border-top:2px dashed var(--c);height:0}
.plot+.legend{line-height:1.5;margin:0 .6rem .4rem 3.4rem}
.plot{position:relative;height:14rem;margin:0 .6rem 1.6rem 3.4rem;border-bottom:1px solid var(--soft)}
.plot svg{position:absolute;inset:0;width:100%;height:100%;overflow:visible}
.plot path{fill:none;stroke-width:2;vector-effect:non-scaling-stroke;stroke-linejoin:round}
.plot .rule{stroke:var(--line);stroke-width:1}
.plot .line,.plot .dots{stroke:var(--c)}.plot .line.rest{stroke-width:1}.plot .line.thin{stroke-width:1.2;opacity:.7}
.plot .line.bound{stroke-width:1.3;stroke-dasharray:5 4}
.plot .band{fill:var(--c);opacity:.13}
.plot .dots{stroke-width:5;stroke-linecap:round;opacity:.8}
.bars{display:grid;grid-template-columns:minmax(5rem,max-content) 1fr max-content;gap:.28rem .8rem;align-items:center;
font-size:.86rem}
.bars .row{display:contents}
.bars .name{overflow-wrap:anywhere;max-width:13rem}
.bars .told{color:var(--soft);white-space:nowrap;font-size:.8rem}
.track{position:relative;height:.8rem}
.track .fill{position:absolute;inset:0 auto 0 0;background:var(--c);border-radius:.15rem}
.track .fill.bound{background:repeating-linear-gradient(135deg,var(--grey) 0 3px,transparent 3px 6px)}
.track .err{position:absolute;top:50%;height:1.5px;background:var(--ink);transform:translateY(-50%)}
.track .err::before,.track .err::after{content:"";position:absolute;top:-.18rem;width:1.5px;height:.42rem;
background:var(--ink)}
.track .err::after{right:0}
.smalls{display:grid;grid-template-columns:repeat(auto-fill,minmax(8.5rem,1fr));gap:1rem 1.2rem}
.small{margin:0}.small svg{width:100%;height:auto;background:var(--card);border-radius:.4rem;display:block}
.small figcaption{font-size:.8rem;color:var(--soft);margin:.25rem 0 0;overflow-wrap:anywhere}
.small circle{fill:var(--c);fill-opacity:.75}.small .diagonal{stroke:var(--soft);stroke-width:.6;fill:none}
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
.facts{margin-bottom:1.8rem}.facts td:first-child{white-space:nowrap;color:var(--soft)}
.grow td:first-child{width:99%;overflow-wrap:anywhere}
pre{background:var(--card);border-radius:.5rem;padding:1rem;overflow-x:auto;font-size:.82rem;line-height:1.45}
summary{cursor:pointer}
footer{margin-top:3rem;color:var(--soft);font-size:.85rem}
@media(max-width:34rem){body{padding:1.4rem 1rem 3rem}h1{font-size:1.55rem}.plot{height:11rem;margin-left:2.7rem}
.plot+.legend{margin-left:0}
.bars{grid-template-columns:minmax(4rem,8rem) 1fr max-content;gap:.28rem .5rem}
.plot .x:nth-of-type(even){display:none}
.best .bar,.hosts .bar{display:none}.bar{width:3.2rem}.tiles dd{font-size:1.15rem}}
@media print{body{max-width:none}.wide{overflow:visible}}
"""
