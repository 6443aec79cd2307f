/** Style of a report, in the colors that the reader prefers. */
export const style = `
:root { color-scheme: light dark; --text: light-dark(#1c2024, #edeef0); --quiet: light-dark(#60646c, #b0b4ba);
  --line: light-dark(#d9d9e0, #363a3f); --back: light-dark(#fff, #111113); --panel: light-dark(#f9f9fb, #18191b);
  --mark: light-dark(#3358d4, #9eb1ff); --good: light-dark(#218358, #3dd68c); --bad: light-dark(#ce2c31, #ff9592); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 75rem; padding: 2rem 1rem 4rem; background: var(--back); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2.5rem 0 0.5rem; }
p, figcaption, dt { color: var(--quiet); } p { margin: 0.25rem 0; max-width: 48rem; }
.scroll { overflow-x: auto; } figure { margin: 0; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.75rem 0.4rem 0;
  border-bottom: 1px solid var(--line); } th { font-weight: 600; } td.figure, th.figure { text-align: right; font-variant-numeric: tabular-nums;
  white-space: nowrap; } small { color: var(--quiet); display: block; font-size: 0.85em; font-weight: normal; }
svg { display: block; width: 100%; min-width: 44rem; max-width: 60rem; height: auto; font: 13px system-ui, sans-serif; }
svg text { fill: var(--text); } svg .quiet { fill: var(--quiet); } svg .grid { stroke: var(--line); } svg .axis { stroke: var(--quiet); }
svg .range { stroke: var(--mark); stroke-width: 3; stroke-linecap: round; } svg .dot { fill: var(--mark); stroke: var(--back); stroke-width: 2; }
i { display: inline-block; width: 0.6rem; height: 0.6rem; border-radius: 50%; margin-left: 0.3rem; background: currentColor; }
summary small { display: inline; margin-left: 0.75rem; }
.passed { color: var(--good); } .failed { color: var(--bad); } .unknown { color: var(--quiet); }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: 0.5rem 0.75rem; margin: 0.25rem 0 0.75rem; overflow-x: auto;
  white-space: pre-wrap; overflow-wrap: anywhere; font-size: 13px; } summary { cursor: pointer; }
`;
