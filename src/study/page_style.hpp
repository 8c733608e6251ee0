// The page's style sheet and its only script.
#pragma once

#include <string_view>

namespace sconet::study {

// Tables become cards on narrow screens: every cell then shows its data-label. Nothing is told by colour alone.
inline constexpr std::string_view kPageStyle = R"css(
:root {
  color-scheme: light dark;
  --ink: #1c1c1c; --muted: #5c5f66; --paper: #ffffff; --panel: #f6f6f4; --rule: #d9d9d4; --link: #0b5394;
  --yes: #1f6b3a; --part: #7a5200; --no: #a3281e;
  --plot-ink: #222222; --plot-grid: #e4e4e4; --plot-paper: #ffffff;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --ink: #e6e6e3; --muted: #a6a8ad; --paper: #171717; --panel: #202122; --rule: #3c3d40; --link: #8ab8ee;
    --yes: #7fcf9a; --part: #e3b65c; --no: #f0958b;
    --plot-ink: #e8e8e8; --plot-grid: #3a3a3a; --plot-paper: #171717;
  }
}

/* --- type and page --- */
*, ::before, ::after { box-sizing: border-box; }
html { font: 100%/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  color: var(--ink); background: var(--paper); -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0 auto; padding: 2rem 1rem 3rem; max-width: 168rem; overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.25; text-wrap: balance; margin: 0; }
h1 { font-size: 2rem; font-weight: 650; letter-spacing: -.01em; }
h2 { font-size: 1.375rem; font-weight: 650; margin-bottom: .75rem; }
h3 { font-size: 1.0625rem; font-weight: 600; }
p, li, dd, figcaption, .claim { max-width: 44rem; }
p { margin: 0 0 .75rem; }
a { color: var(--link); text-underline-offset: .15em; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px; }
main:focus { outline: none; }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .875em; }
.muted { color: var(--muted); }
.small { font-size: .875rem; }
.hidden { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap; }
.skip { position: absolute; left: 1rem; top: -10rem; padding: .5rem 1rem; background: var(--paper); z-index: 1; }
.skip:focus { top: .5rem; }

body > header { padding-bottom: 1.25rem; border-bottom: 2px solid var(--ink); }
.lead { font-size: 1.125rem; margin-top: .75rem; max-width: 52rem; text-wrap: pretty; }
.facts { display: flex; flex-wrap: wrap; gap: .25rem 2rem; margin: 1rem 0 0; font-size: .875rem; }
.facts div { display: flex; gap: .5rem; }
.facts dt { color: var(--muted); white-space: nowrap; }
.facts dd { margin: 0; font-variant-numeric: tabular-nums; }
nav { padding: 1.25rem 0; }
nav h2 { font-size: .875rem; color: var(--muted); margin-bottom: .25rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li { padding: .2rem 0; }
main > section { padding-top: 1.75rem; }
main > section + section { margin-top: 2rem; border-top: 1px solid var(--rule); }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--rule); }
@media screen and (max-width: 39.99rem) { h1 { font-size: 1.5rem; } .lead { font-size: 1rem; } }
@media screen and (min-width: 40rem) { body { padding-inline: 2rem; } }
@media screen and (max-width: 74.99rem) { nav ul { display: flex; flex-wrap: wrap; gap: 0 1.25rem; } }
@media screen and (min-width: 75rem) {
  body { display: grid; grid-template-columns: 12rem minmax(0, 1fr); column-gap: 3rem; padding-inline: 3rem; }
  body > header, footer { grid-column: 1 / -1; }
  nav ul { position: sticky; top: 1.5rem; }
  nav h2 { padding-top: .75rem; }
}

/* --- tables --- */
table { border-collapse: collapse; width: 100%; font-size: .8125rem; line-height: 1.4;
  font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--muted); padding: .1rem 0 .4rem; }
th, td { padding: .35rem .5rem; text-align: right; vertical-align: top; }
th { font-weight: 600; }
thead th, td { overflow-wrap: normal; }
tbody th { min-width: 6.5rem; }
.glance tbody th { min-width: 10rem; }
td.text { overflow-wrap: anywhere; min-width: 3.5rem; }
thead th { vertical-align: bottom; border-bottom: 1px solid var(--ink); }
tbody tr { border-bottom: 1px solid var(--rule); }
tr > :first-child { padding-left: 0; text-align: left; }
tr > :last-child { padding-right: 0; }
.text { text-align: left; }
.num { white-space: nowrap; }
sup { line-height: 0; }
.best { font-weight: 700; }
.mark { font-weight: 400; margin-right: .25em; }
.paper { display: block; color: var(--muted); font-weight: 400; }
.set { margin-top: 1.75rem; max-width: 78rem; }
.set h3 + p { margin: 0; }
.glance { max-width: 64rem; }
@media screen and (min-width: 158rem) {
  .sets { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); column-gap: 3rem; }
}
@media screen and (max-width: 55.99rem) {
  table { font-size: .875rem; }
  .stack, .stack caption, .stack th, .stack td { display: block; }
  .stack thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .stack tbody { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(18rem, 100%), 1fr));
    gap: 0 2.5rem; }
  .stack tr { display: block; padding: .6rem 0; }
  .stack th, .stack td { padding: .1rem 0; }
  .stack tbody th { font-size: .9375rem; }
  .stack tbody th .paper { display: none; }
  .stack td { display: grid; grid-template-columns: 7rem 1fr; column-gap: .75rem; }
  .stack td::before { content: attr(data-label); content: attr(data-label) / ""; color: var(--muted); text-align: left; }
  .stack td > * { grid-column: 2; }
  .stack td .paper::before { content: "paper "; content: "paper " / ""; }
  .stack td.text > * { text-align: left; }
  .stack td.empty { display: none; }
}

/* --- figures, claims, settings --- */
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)); gap: 2rem 3rem; }
figure { margin: 0; max-width: 46rem; }
figure svg { display: block; width: 100%; height: auto; margin: .5rem 0; }
figcaption { font-size: .875rem; color: var(--muted); }
.claims { list-style: none; margin: 0; padding: 0; }
.claim { padding: .9rem 0; border-top: 1px solid var(--rule); display: grid; grid-template-columns: 9.5rem 1fr;
  column-gap: 1.5rem; max-width: 58rem; }
.claim p { margin: .25rem 0 .4rem; }
.verdict { font-weight: 600; white-space: nowrap; }
.verdict.holds { color: var(--yes); }
.verdict.part { color: var(--part); }
.verdict.fails { color: var(--no); }
.verdict.open { color: var(--muted); }
@media screen and (max-width: 40rem) { .claim { display: block; } }
summary { cursor: pointer; padding: .2rem 0; width: fit-content; }
details ul { margin: .25rem 0 0; padding-left: 1.25rem; font-size: .875rem; list-style: disc; }
.settings details { border-bottom: 1px solid var(--rule); padding: .25rem 0; }
.settings table { margin: .25rem 0 .75rem; max-width: 64rem; }
.settings caption { position: absolute; clip-path: inset(50%); }
.settings tbody th { width: 12rem; }
.option { white-space: nowrap; margin-right: 1.25em; }
.option code { white-space: normal; }
.notes { margin: 0; padding-left: 1.1rem; }
.notes:only-child li:only-child { list-style: none; margin-left: -1.1rem; }
.command { position: relative; max-width: 64rem; }
pre { white-space: pre-wrap; margin: 0 0 1rem; padding: .9rem 1rem; background: var(--panel);
  border: 1px solid var(--rule); border-radius: 4px; }
.copy { font: inherit; font-size: .8125rem; color: var(--ink); background: var(--paper); cursor: pointer;
  border: 1px solid var(--rule); border-radius: 4px; padding: .3rem .75rem; margin: 0 0 1rem; }

/* --- print --- */
@media print {
  @page { margin: 16mm 14mm; }
  html { font-size: 10pt; }
  body { padding: 0; max-width: none; }
  nav, .skip, .copy { display: none; }
  a { color: inherit; }
  table { font-size: 7.5pt; }
  th, td { padding: .25rem .3rem; }
  h2, h3, caption, summary { break-after: avoid; }
  figure, .set, .claim, tr, pre { break-inside: avoid; }
  .figures { display: block; }
  figure { margin-bottom: 1.5rem; max-width: 150mm; }
  figure svg { max-height: 195mm; }
  details:not([open]) > ul { display: block; }
  details:not([open]) > table { display: table; }
  details::details-content { content-visibility: visible; display: block; block-size: auto; }
}
)css";

// Adds a button that copies the command; without the script there is none.
inline constexpr std::string_view kPageScript = R"js(
for (const pre of document.querySelectorAll('.command pre')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  const say = text => {
    button.textContent = text;
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  };
  const select = () => {
    getSelection().selectAllChildren(pre);
    say(document.execCommand('copy') ? 'Copied' : 'Selected: copy it by keyboard');
  };
  button.addEventListener('click', () => {
    if (navigator.clipboard) navigator.clipboard.writeText(pre.textContent).then(() => say('Copied'), select);
    else select();
  });
  button.setAttribute('aria-live', 'polite');
  pre.after(button);
}
)js";

}  // namespace sconet::study
