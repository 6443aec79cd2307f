// Runs in a child process, as esbuild leaves a thread and a process behind: `<main module> <file to write>`.
import { build } from 'esbuild';

const [entry = '', outfile = ''] = process.argv.slice(2);
await build({
  entryPoints: [entry],
  outfile,
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'neutral',
  target: 'esnext',
  charset: 'utf8',
  legalComments: 'none',
  tsconfigRaw: {},
  logLevel: 'silent',
});
process.exit();
