import { describe, expect, it } from 'vitest';
import { reloadConfig } from '../driver/reload-config.ts';
import { useServer } from '../driver/use-server.ts';

/** One with more warm processes than before, and one with fewer. */
const RELOADS = 2;
const AT_A_TIME = 2;

const configText = (timeoutMs: number, spares: number) => `patchbay: 1
secretFile: ./secret
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
executor: { use: "@patchbay/executor-deno", with: { spares: ${spares}, primed: 0 } }
executions: { timeoutMs: ${timeoutMs} }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
limits: { off: true }
`;

const server = useServer({ config: configText(10_000, 1) });

const reload = (text: string): Promise<void> => reloadConfig(server.process, text);

async function makeFunction(code: string): Promise<string> {
  const schema = { type: 'object', properties: {} };
  const { body } = await server.ask('POST', '/functions', {
    name: 'f',
    description: '',
    input: schema,
    output: schema,
    code,
  });
  return `/functions/${String(body['id'])}/execute`;
}

describe('SIGHUP with executions in progress', () => {
  it('changes the options of the executor without failing an execution', { timeout: 120_000 }, async () => {
    const path = await makeFunction(
      'export default async () => { await new Promise((r) => setTimeout(r, 50)); return {}; }',
    );
    const statuses: number[] = [];
    let finished = false;
    const execute = async (): Promise<void> => {
      while (!finished) statuses.push((await server.ask('POST', path, { input: {} })).status);
    };
    const executing = Array.from({ length: AT_A_TIME }, execute);
    for (let round = 1; round <= RELOADS; round += 1) await reload(configText(10_000, 1 + (round % 2)));
    finished = true;
    await Promise.all(executing);
    expect(statuses.length).toBeGreaterThanOrEqual(AT_A_TIME);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('holds executions to the new limits', async () => {
    const path = await makeFunction(
      'export default async () => { await new Promise((r) => setTimeout(r, 60_000)); return {}; }',
    );
    await reload(configText(300, 1));
    expect(await server.ask('POST', path, { input: {} })).toMatchObject({ body: { code: 'function_timeout' } });
  });
});
