// `npm run build:console`: the program of the browser, as files that the package ships. Fails when they are too large.
import { budgets, buildConsole, loadedBytes } from './build-console.ts';

const written = await buildConsole();
for (const { name, bytes, gzip } of written) console.log(`${name.padEnd(32)} ${bytes} B, ${gzip} B gzip`);
for (const stage of ['first', 'editor'] as const) {
  const [size, most] = [loadedBytes(written, stage), budgets[stage]].map((bytes) => (bytes / 1_000).toFixed(1));
  console.log(`${stage}: ${size} of ${most} kB gzip`);
}
