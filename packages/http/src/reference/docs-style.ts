/** The style of the reference page: one column of text, a list of endpoints beside it, light and dark. */
export const docsStyle = `
:root { color-scheme: light dark; --line: light-dark(#d8dade, #3a3d44); --soft: light-dark(#f4f5f7, #1f2126);
  --quiet: light-dark(#5a606b, #a3a8b3); --link: light-dark(#1450b8, #8ab4ff); }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; display: grid; grid-template-columns: 18rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem; border-right: 1px solid var(--line); }
nav h2 { font-size: .8rem; letter-spacing: .06em; text-transform: uppercase; color: var(--quiet); margin: 1.5rem 0 .4rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: .15rem 0; font-size: .9rem; text-decoration: none; }
main { padding: 1.5rem 3rem 6rem; max-width: 60rem; }
a { color: var(--link); }
section { border-top: 1px solid var(--line); margin-top: 2.5rem; padding-top: .5rem; }
h3 { font: 600 1rem/1.5 ui-monospace, monospace; background: var(--soft); border: 1px solid var(--line);
  border-radius: 6px; padding: .5rem .8rem; overflow-wrap: anywhere; }
h4 { margin: 1.4rem 0 .3rem; font-size: .95rem; }
.method { display: inline-block; min-width: 4.2rem; }
code { font: .875em ui-monospace, monospace; background: var(--soft); border-radius: 4px; padding: .1em .3em; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: .8rem; overflow-x: auto; }
pre code { padding: 0; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; display: block; overflow-x: auto; }
th, td { text-align: left; vertical-align: top; padding: .35rem .8rem .35rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--quiet); font-weight: 500; }
small, .quiet { color: var(--quiet); }
@media (max-width: 52rem) { body { display: block; } nav { position: static; height: 11rem;
  border: 0; border-bottom: 1px solid var(--line); } main { padding: 0 1.5rem 4rem; } }
`;
