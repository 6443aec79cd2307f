import { rmSync } from 'node:fs';
import { runCli } from '@patchbay/server/fixtures/run-cli';
import { afterAll, describe, expect, it } from 'vitest';
import { newFolder } from '../driver/run-server.ts';
import { adminKey, ask } from '../driver/server-process.ts';
import { useServerHere } from '../driver/use-server-here.ts';

const server = useServerHere();
const folder = newFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const cli = (...args: readonly string[]) =>
  runCli(
    { cwd: folder, env: { PATCHBAY_URL: server.running.url, PATCHBAY_API_KEY: adminKey } },
    'dead-letters',
    ...args,
  );

describe('dead letters', () => {
  it('are listed with their error, run again and removed', async () => {
    const code = "export default () => { throw new Error('no such ship'); }";
    const source = { name: 'Land', input: { type: 'object' }, output: { type: 'object' }, code };
    const { body: stored } = await ask(server.running, 'POST', '/functions', source);
    const execute = `/functions/${String(stored['id'])}/execute`;
    const { body: queued } = await ask(server.running, 'POST', execute, { input: {} }, { prefer: 'respond-async' });
    const first = String(queued['id']);
    const listed = async () => (await cli('list', 'land')).stdout;
    await expect.poll(listed).toMatch(new RegExp(`^${first} +failed +1 runs .* function_threw: no such ship\n$`));

    const { stdout } = await cli('rerun', first);
    const second = /queued as (execution_\w+)\n$/.exec(stdout)?.[1] ?? '';
    await expect.poll(listed).toContain(second);
    expect(await listed()).not.toContain(first);
    expect((await cli('rerun', 'land')).stdout).toMatch(new RegExp(`^${second} +queued as execution_`));
    await expect.poll(listed).toContain('function_threw');
    const [third = ''] = (await listed()).split(' ');
    expect((await cli('remove', third, '--yes')).stdout).toBe(`deleted  ${third}\n`);
    expect((await cli('list')).stdout).toBe('');
  });
});
