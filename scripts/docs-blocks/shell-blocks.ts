import type { CodeBlock } from './code-blocks.ts';

/** Why blocks are not run one by one, and how each kind is recognized. */
const notRun = [
  [
    /^(WEBHOOK_SECRET=\S+ |PATCHBAY_KEY=\S+ |DATABASE_URL=)?[\s\S]*npm run example|deno serve/,
    'starts an example, which has its own test',
  ],
  [/^claude\b/m, 'starts Claude Code; `npm run test:clients` runs the same'],
  [/patchbay plugin new/, 'makes a package; a test makes, builds and tests the same'],
  [/patchbay import (litellm|tensorzero)/, 'reads a configuration of its reader; tests import several of each'],
  [/\/opt\/patchbay/, 'installs on a server; `npm run check:tarballs` walks the page'],
  [/git clone|^npm (test|start|run)|npm install/, 'installs and builds the whole repository'],
  [/^(npx )?patchbay (worker|serve|--config|dev)|patchbay dev/m, 'starts a server that goes on; tests start the same'],
  [/Accept: text\/event-stream/, 'follows what comes, and does not end; a contract test reads the same stream'],
  [/\$hostile|faults:|scorecard|bench\//, 'runs for long; a small size is among the tests'],
] as const;

/** Why a block is not run, or nothing for one that a test runs against its own server. */
export function reasonNotToRun({ code, mark }: CodeBlock): string | undefined {
  if (mark === 'sketch') return 'a sketch of what only its reader has';
  return notRun.find(([pattern]) => pattern.test(code))?.[1];
}
