import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';

const input = fileURLToPath(new URL('./index.ts', import.meta.url));
const webhooks = fileURLToPath(new URL('./webhooks/index.ts', import.meta.url));

it('is at most 5 kB when it is loaded, and has no dependency', async () => {
  const bundle = await rolldown({ input });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  const files = output.filter((file) => file.type === 'chunk');
  const sizeOf = (isEntry: boolean) =>
    files.filter((file) => file.isEntry === isEntry).reduce((sum, { code }) => sum + gzipSync(code).length, 0);
  const [entry] = files.filter(({ isEntry }) => isEntry);
  // Nothing else is fetched before it runs.
  expect(entry?.imports).toEqual([]);
  expect(sizeOf(true)).toBeLessThanOrEqual(5 * 1_024);
  // Streams, and servers that cannot be called by name: loaded when they are needed.
  expect(sizeOf(false)).toBeLessThanOrEqual(2 * 1_024);
  const modules = files.flatMap(({ moduleIds }) => moduleIds);
  expect(modules.filter((id) => id.includes('node_modules'))).toEqual([]);
  expect(modules.filter((id) => id.includes('/webhooks/'))).toEqual([]);
});

it('verifies webhooks in at most 2 kB, which stand alone', async () => {
  const bundle = await rolldown({ input: webhooks });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  expect(output).toHaveLength(1);
  expect(output[0].imports).toEqual([]);
  expect(gzipSync(output[0].code).length).toBeLessThanOrEqual(2 * 1_024);
});
