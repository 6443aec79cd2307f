import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApp, type ErrorCode, loadConfig, PatchbayError } from '@patchbay/core';
import { definePlugin } from '@patchbay/core/plugin';
import deno from '@patchbay/executor-deno';
import sqlite from '@patchbay/store-sqlite';
import { type Example, type Examples, steady } from '../example.ts';
import { startExampleServer, temporaryFolder } from '../example-server.ts';
import { echo, nameless } from './sample-functions.ts';

/** Failures of the server itself, and those that prevent its start. */
export async function serverExamples(): Promise<Examples> {
  const folder = temporaryFolder();
  try {
    return {
      internal_error: await brokenPlugin(),
      storage_unavailable: await fullDisk(folder.path),
      config_invalid: await refusedConfig(
        'config_invalid',
        folder.path,
        `patchbay: 1\nserver:\n  prot: 4810\nsecret: $\{PATCHBAY_SECRET}\n`,
      ),
      plugin_not_found: await refusedConfig(
        'plugin_not_found',
        folder.path,
        'patchbay: 1\nstorage: { use: "@patchbay/store-sqllite" }\n',
      ),
      plugin_incompatible: await refusedConfig(
        'plugin_incompatible',
        folder.path,
        'patchbay: 1\nstorage: { use: "@patchbay/executor-deno" }\n',
      ),
      plugin_start_failed: await failed(
        'plugin_start_failed',
        'An executor whose `denoPath` is not there',
        folder.path,
        async () => {
          await createApp(
            { patchbay: 1, executor: { use: deno, with: { denoPath: './deno' } } },
            { directory: folder.path },
          );
        },
      ),
    };
  } finally {
    folder.remove();
  }
}

async function brokenPlugin(): Promise<Example> {
  const broken = definePlugin({
    name: 'broken-executor',
    kind: 'executor',
    version: 1,
    config: { properties: {} },
    create: () => ({
      async execute() {
        throw new TypeError('a fault of this plugin, which stays in the log');
      },
    }),
  });
  const server = await startExampleServer({ executor: { use: broken } });
  try {
    return await server.refused('POST', '/functions/test', {
      body: { function: nameless, input: { text: 'Hello' } },
      asked: '`POST /functions/test`, where the executor is a plugin with a fault in it',
    });
  } finally {
    await server.close();
  }
}

async function fullDisk(folder: string): Promise<Example> {
  const file = join(folder, 'patchbay.db');
  const server = await startExampleServer({ storage: { use: sqlite, with: { file, maxMegabytes: 1 } } });
  const large = { ...echo, description: 'x'.repeat(10_000) };
  try {
    for (;;) {
      const example = await server.refused('POST', '/functions', {
        body: large,
        asked: '`POST /functions` with a full disk',
      });
      if ('requestId' in (example.answer as object)) return example;
    }
  } finally {
    await server.close();
  }
}

async function refusedConfig(code: ErrorCode, folder: string, text: string): Promise<Example> {
  const file = join(folder, 'patchbay.config.yaml');
  writeFileSync(file, text);
  const asked = `A config file with\n\n\`\`\`yaml wrong\n${text.trim()}\n\`\`\`\n`;
  return await failed(code, asked, folder, async () => {
    await loadConfig({
      file,
      cwd: folder,
      env: {},
      bases: [import.meta.url],
      sections: { server: { properties: { port: { type: 'integer' } } } },
    });
  });
}

/** Output on a terminal. */
async function failed(code: ErrorCode, asked: string, folder: string, start: () => Promise<void>): Promise<Example> {
  try {
    await start();
  } catch (error) {
    if (PatchbayError.is(error) && [error.code, ...error.errors.map((fault) => fault.code)].includes(code))
      return { asked, answer: steady(error.message, folder) };
    throw error;
  }
  throw new Error(`nothing failed: ${asked}`);
}
