import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@patchbay/core/plugin';
import type { FunctionRow, Storage } from '@patchbay/core/storage';
import sqlite from '@patchbay/store-sqlite';

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** A started storage in a separate folder, which is removed when the body is done. */
export async function withSqlite(body: (storage: Storage) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'patchbay-bench-'));
  const config = { file: 'patchbay.db', driver: 'better-sqlite3' as const, busyTimeoutMs: 5_000, cacheMegabytes: 16 };
  const storage = sqlite.definition.create({ config, deps: {}, logger: silent, mount: 'storage', directory });
  try {
    await storage.start?.(new AbortController().signal);
    await storage.migrate();
    await body(storage);
  } finally {
    await storage.stop?.();
    await rm(directory, { recursive: true, force: true });
  }
}

/** A function of about 1.5 KB. */
export function functionRow(number: number): FunctionRow {
  const digits = String(number).padStart(9, '0');
  const time = new Date(Date.UTC(2026, 0, 1) + number).toISOString();
  return {
    id: `function_01990000-0000-7000-8000-${digits}`,
    revision: 1,
    name: `Summarize Text ${digits}`,
    key: `summarizeText${digits}`,
    description: 'Makes a long text short, in the language of the text.',
    input: { type: 'object', properties: { text: { type: 'string' }, maxPoints: { type: 'integer', default: 5 } } },
    output: { type: 'object', properties: { points: { type: 'array', items: { type: 'string' } } } },
    code: `export default ({ text, maxPoints }) => ({ points: [text] });\n${'// a line of source text\n'.repeat(20)}`,
    artifact: `({ text, maxPoints }) => ({ points: [text] });\n${'// a line of source text\n'.repeat(20)}`,
    contentHash: digits.padStart(64, '0'),
    bundleId: null,
    packages: null,
    createdAt: time,
    updatedAt: time,
  };
}
