import { type FileHandle, open, readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { definePlugin, PatchbayError, type TenantId } from '@patchbay/core/plugin';
import type { Storage, Write } from '@patchbay/core/storage';
import { createMemoryStorage } from '@patchbay/core/storage';

/** Keeps everything in memory, and each commit as a line of JSON in a file that is read at the start. */
export default definePlugin({
  name: 'patchbay-storage-template',
  kind: 'storage',
  version: 1,
  capabilities: ['durable'],
  config: {
    properties: { file: { type: 'string', default: './patchbay.jsonl', description: 'Where commits are kept.' } },
  },
  create({ config, directory }) {
    return createJsonStorage(isAbsolute(config.file) ? config.file : join(directory, config.file));
  },
});

type Line = readonly [TenantId, readonly Write[]];

function createJsonStorage(file: string): Storage {
  const memory = createMemoryStorage();
  let log: FileHandle | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let failed: string | undefined;

  /** One after the other, in the order in which they were asked for. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };

  return {
    ...memory,
    async start() {
      log = await open(file, 'a', 0o600);
      const text = await readFile(file, 'utf8');
      // A last line without an end was never acknowledged: the process died while writing it.
      const whole = text.slice(0, text.lastIndexOf('\n') + 1);
      if (whole !== text) await log.truncate(Buffer.byteLength(whole));
      for (const line of whole.split('\n').slice(0, -1)) await memory.commit(...(JSON.parse(line) as Line));
    },
    async stop() {
      await last;
      await log?.close();
    },
    health: async () => (failed === undefined ? { status: 'pass' } : { status: 'fail', detail: failed }),
    commit: (tenant, writes) =>
      inTurn(async () => {
        // After a write that failed, the memory knows more than the file.
        if (failed !== undefined) throw new PatchbayError('storage_unavailable', failed, { retryAfter: 60 });
        const result = await memory.commit(tenant, writes);
        if (!result.done) return result;
        try {
          await log?.appendFile(`${JSON.stringify([tenant, writes] satisfies Line)}\n`);
          await log?.datasync();
        } catch (cause) {
          failed = 'the file cannot be written: see to it and start again';
          throw new PatchbayError('storage_unavailable', failed, { retryAfter: 60, cause });
        }
        return result;
      }),
  };
}
