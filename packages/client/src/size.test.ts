import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';

const input = fileURLToPath(new URL('./index.ts', import.meta.url));
const webhooks = fileURLToPath(new URL('./webhooks/index.ts', import.meta.url));

/**
 * Everything that an `import` of the main entry loads before any of it runs, with all that it exports: minified by
 * rolldown, then gzipped, in bytes.
 */
const FIRST_LOAD_BYTES = 5_260;
/** Streams, cancellation of requests, and the path to servers that cannot be called by name: each loaded on demand. */
const LATER_BYTES = 1_850;
const SINGLE_FILE_BYTES = 6_600;

async function build(codeSplitting: boolean) {
  const bundle = await rolldown({ input });
  const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting });
  return output.filter((file) => file.type === 'chunk').map((file) => ({ ...file, bytes: gzipSync(file.code).length }));
}

it('the client has at most 5,260 bytes when it is loaded, and no dependency', async () => {
  const files = await build(true);
  const bytesOf = (isEntry: boolean) =>
    files.filter((file) => file.isEntry === isEntry).reduce((sum, { bytes }) => sum + bytes, 0);
  const [entry] = files.filter(({ isEntry }) => isEntry);
  // Nothing else is loaded before it runs.
  expect(entry?.imports).toEqual([]);
  const [single, ...more] = await build(false);
  expect(more).toEqual([]);
  const bytes = { firstLoad: bytesOf(true), later: bytesOf(false), singleFile: single?.bytes ?? 0 };
  console.info(`@patchbay/client, minified and gzipped: ${JSON.stringify(bytes)}`);
  expect(bytes.firstLoad).toBeLessThanOrEqual(FIRST_LOAD_BYTES);
  expect(bytes.later).toBeLessThanOrEqual(LATER_BYTES);
  expect(bytes.singleFile).toBeLessThanOrEqual(SINGLE_FILE_BYTES);
  const modules = files.flatMap(({ moduleIds }) => moduleIds);
  expect(modules.filter((id) => id.includes('node_modules'))).toEqual([]);
  expect(modules.filter((id) => id.includes('/webhooks/'))).toEqual([]);
});

it('the client verifies webhooks in at most 2 kB, which can be used on their own', async () => {
  const bundle = await rolldown({ input: webhooks });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  expect(output).toHaveLength(1);
  expect(output[0].imports).toEqual([]);
  expect(gzipSync(output[0].code).length).toBeLessThanOrEqual(2 * 1_024);
});
