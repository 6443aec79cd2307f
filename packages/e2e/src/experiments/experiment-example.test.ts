import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runCli } from '@patchbay/server/fixtures/run-cli';
import { afterAll, expect, it } from 'vitest';
import { newFolder } from '../driver/run-server.ts';
import { adminKey } from '../driver/server-process.ts';
import { useServerHere } from '../driver/use-server-here.ts';

const fileOf = (path: string): string => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const guide = readFileSync(fileOf('docs/guide/experiments.md'), 'utf8');

const folder = newFolder();
const server = useServerHere({ config: readFileSync(fileOf('examples/experiment/patchbay.config.yaml'), 'utf8') });
const env = () => ({ PATCHBAY_URL: server.running.url, PATCHBAY_API_KEY: adminKey });

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Chance decides how many tickets it takes, and so the figures. */
const linesOf = (text: string) =>
  text
    .replaceAll(/[\d.]+/g, '0')
    .replaceAll(/ +/g, ' ')
    .trim()
    .split('\n');

/** All that is printed is what the guide says that the command prints. */
function expectDocumented(command: string, printed: string): void {
  const [, after = ''] = guide.split(`$ ${command}\n`, 2);
  expect(linesOf(after.slice(0, after.indexOf('```')))).toEqual(expect.arrayContaining(linesOf(printed)));
}

it('the example has the better prompt take over, as the guide shows, and gives the label back', async () => {
  // As `npm run example` does it, with a temporary key.
  const { url, data: cwd } = server.running;
  const { PATH, NODE_COMPILE_CACHE, PATCHBAY_TEST_NODE_OPTIONS: NODE_OPTIONS } = process.env;
  const surroundings = { cwd, env: { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS, PATCHBAY_URL: url, PATCHBAY_DATA: cwd } };
  const command = ['--conditions=source', fileOf('scripts/example.mjs'), 'experiment'];
  const run = async () => (await promisify(execFile)(process.execPath, command, surroundings)).stdout;
  const printed = await run();
  expect(printed).toMatch(/^version 2 answers all calls now\n$/m);
  expectDocumented('npm run example -- experiment', printed);

  const shows = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await runCli({ cwd: folder, env: env() }, ...args);
    expect(code).toBe(0);
    expectDocumented(`patchbay ${args.join(' ')}`, stdout + stderr);
    return stderr;
  };
  expect(await shows('experiments', 'show', 'routeTicket')).toContain('production stands for version 2 now');
  await shows('experiments', 'rollback', 'routeTicket');
  const answer = await server.ask('GET', '/functions');
  const [{ id }] = answer.body['data'] as [{ readonly id: string }];
  expect((await server.ask('GET', `/functions/${id}/settings`)).body).toMatchObject({ version: 1 });
  expect(await run()).toMatch(/^version 2 answers all calls now\n$/m);
});
