import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configJsonSchema } from '@patchbay/core';
import type { OptionSchema } from '@patchbay/core/plugin';
import { serverConfigSchema, workerConfigSchema } from '@patchbay/server';
import { beforeAll, describe, expect, it } from 'vitest';
import { appConfigSchema } from '../../packages/core/src/config/app-config.ts';
import { configPage, type OptionRow } from '../../packages/server/src/cli/config-actions.ts';
import { configOptionsPage, type PluginOptions } from './config-options-page.ts';

const sections = { server: serverConfigSchema, worker: workerConfigSchema };
const root: OptionSchema = {
  type: 'object',
  properties: {
    ...appConfigSchema.properties,
    server: { type: 'object', ...serverConfigSchema },
    worker: { type: 'object', ...workerConfigSchema },
  },
};

/** Units implied by the names of options. */
const units = [
  [/Ms$/, /millisecond/i],
  [/Seconds$/, /second/i],
  [/Days$/, /days/i],
  [/Bytes$/, /byte/i],
  [/(Mb|Megabytes)$/, /megabyte|memory|database/i],
] as const;

describe('docs/reference/config-options.md', () => {
  let rows: readonly OptionRow[] = [];
  let plugins: readonly PluginOptions[] = [];
  beforeAll(async () => {
    const folder = fileURLToPath(new URL('../../plugins/', import.meta.url));
    const names = readdirSync(folder).filter((name) => name !== 'store-typeorm');
    plugins = await Promise.all(
      names.map(async (name) => {
        const module = (await import(`@patchbay/${name}`)) as { default: { definition: PluginOptions } };
        return module.default.definition;
      }),
    );
    ({ rows } = configPage(configJsonSchema(sections, []), plugins));
  });

  it('matches the schemas that check a config', async () => {
    const file = fileURLToPath(new URL('../../docs/reference/config-options.md', import.meta.url));
    await expect(configOptionsPage(root, rows, plugins)).toMatchFileSnapshot(file);
  });

  it('describes every option with its purpose and unit', () => {
    expect(rows.length).toBeGreaterThan(300);
    const name = ({ plugin = '', path }: OptionRow) => `${plugin} ${path}`.trim();
    expect(rows.filter(({ description }) => description === '').map(name)).toEqual([]);
    const unclear = rows.filter(({ path, description }) =>
      units.some(([suffix, unit]) => suffix.test(path) && !unit.test(description)),
    );
    expect(unclear.map(name)).toEqual([]);
  });
});
