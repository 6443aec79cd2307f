import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Report } from '@patchbay/eval';
import { runCli } from '@patchbay/server/fixtures/run-cli';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isFullSize } from '../driver/is-full-size.ts';
import { newFolder, runServer } from '../driver/run-server.ts';
import { adminKey } from '../driver/server-process.ts';
import { useServerHere } from '../driver/use-server-here.ts';
import { playModels } from './played-models.ts';

// Evaluations of a function by the command line, over models that answer as vendors do.

const CASES = isFullSize ? 50 : 4;
const CELLS = CASES * 6;

const played = await playModels();
const server = useServerHere({ config: played.config });
const folder = newFolder();
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await played.upstream.stop();
});
beforeEach(() => played.clear());

const env = () => ({ PATCHBAY_URL: server.running.url, PATCHBAY_API_KEY: adminKey });
const cli = (...args: readonly string[]) => runCli({ cwd: folder, env: env() }, ...args);

/** The command as a process, which can be killed. */
const start = (...args: readonly string[]) => runServer(folder, env(), args);

beforeAll(async () => {
  const word = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] };
  const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  const settings = { model: 'played/fair', maxTokens: 20 };
  const save = async (fields: object) =>
    (await server.ask('POST', '/functions', fields)).body as { readonly id: string };
  const { id } = await save({
    name: 'Find Word',
    input: text,
    output: word,
    settings: { ...settings, prompt: '{{input.text}}' },
  });
  await server.ask('PUT', `/functions/${id}/settings`, { ...settings, prompt: 'Carefully: {{input.text}}' });
  await save({
    name: 'Rate Word',
    input: { type: 'object', properties: {} },
    output: { type: 'object', properties: { verdict: { enum: ['pass', 'fail', 'abstain'] } } },
    settings: { model: 'played/judge', maxTokens: 20 },
  });
  const examples = Array.from({ length: CASES }, (_, index) => ({
    id: `case-${index}`,
    input: { text: `number ${index}` },
    expected: { word: `right ${index}` },
  }));
  await server.ask('POST', `/functions/${id}/dataset`, { examples });
  mkdirSync(join(folder, 'functions/findWord'), { recursive: true });
  const checks = 'dataset:\n  matches: { /word: "^(right|wrong)" }\n  judge: Rate Word\n';
  writeFileSync(join(folder, 'functions/findWord/tests.yaml'), checks);
});

const models = ['--models', 'played/good,played/fair,played/poor'];
const matrix = ['eval', 'Find Word', ...models, '--versions', '1,2', '--dataset', '--json', '--concurrency', '4'];

/** How long something took differs from run to run. */
const comparable = ({ variants, ...report }: Printed) => ({
  ...report,
  variants: variants.map((variant) => ({ ...variant, latencyMs: undefined })),
  startedAt: undefined,
});

interface Printed extends Report {
  readonly end: string;
  readonly run: string;
}

interface Explained {
  readonly id: string;
  readonly learned?: { readonly scores: number };
}

const reportIn = (text: string): Printed => JSON.parse(text) as Printed;

describe(`an evaluation of 3 models and 2 versions with ${CASES} cases`, () => {
  it('that is killed twice and runs out of budget pays for nothing twice, and ends with the report of one that was not', async () => {
    const whole = await cli(...matrix);
    expect([whole.code, whole.stderr]).toEqual([0, expect.stringContaining(`{"ended":${CELLS},"total":${CELLS}}\n`)]);
    const { run: _, ...expected } = reportIn(whole.stdout);
    const asked = [...played.counts()];
    expect(asked.filter(([, count]) => count !== 1)).toEqual([]);
    expect(asked.filter(([question]) => !question.startsWith('judge'))).toHaveLength(CELLS);
    const cost = played.paid();
    expect(expected.spentUsd).toBeCloseTo(cost, 9);

    played.clear();
    const run = join(folder, 'interrupted');
    const resumed = ['eval', 'Find Word', '--run', run, '--json', '--concurrency', '4'];
    const first = [...matrix, '--budget', String(cost + 2), '--run', run];
    // While a request is with the vendor: nothing but the server knows of it.
    for (const [args, count] of [
      [first, Math.round(CELLS / 4)],
      [resumed, Math.round(CELLS / 2)],
    ] as const) {
      const process = start(...args);
      played.onRequest = (sent) => void (sent === count && process.child.kill('SIGKILL'));
      expect(await process.ended()).toBeNull();
    }
    played.onRequest = () => undefined;
    expect(statSync(join(run, 'key')).mode & 0o777).toBe(0o600);
    const budget = cost * 0.7;
    const poor = await cli(...resumed, '--budget', String(budget));
    expect([poor.code, reportIn(poor.stdout).end]).toEqual([1, 'out of budget']);
    expect(played.paid()).toBeLessThanOrEqual(budget);
    expect(reportIn(poor.stdout).spentUsd).toBeCloseTo(played.paid(), 9);

    const rich = await cli(...resumed, '--budget', String(cost + 2));
    expect(rich.code).toBe(0);
    expect(comparable(reportIn(rich.stdout))).toEqual(comparable({ ...expected, run }));
    expect(played.counts()).toEqual(new Map(asked));
    expect(played.paid()).toBeCloseTo(cost, 9);
    // The keys of the run are no more.
    const { body } = await server.ask('GET', '/keys');
    const keys = (body['data'] as { name: string; revokedAt: string | null }[]).filter(({ name }) =>
      /evaluation/.test(name),
    );
    expect(keys.map(({ revokedAt }) => revokedAt !== null)).toEqual([true, true, true]);
    expect(existsSync(join(run, 'key'))).toBe(false);
    const again = await cli(...resumed);
    expect(again.stdout).toBe(rich.stdout);
  }, 300_000);
});

describe('the guide to evaluations', () => {
  const guide = readFileSync(new URL('../../../../docs/guide/evaluations.md', import.meta.url), 'utf8');

  it('shows the output of its commands', async () => {
    for (const [, file = '', text = ''] of guide.matchAll(/^cat > (\S+) <<'END'\n(.*?)^END\n/gms)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    expect((await cli('functions', 'push', 'routeTicket')).code).toBe(0);
    const [, options = '', expected] = /^\$ patchbay eval routeTicket ([^\n]*)\n(.*?)```/ms.exec(guide) ?? [];
    const { code, stdout, stderr } = await cli('eval', 'routeTicket', ...options.split(' '));
    const said = stderr.split('\n').filter((line) => !line.includes(' of 16 answers'));
    const timeless = (text = '') => text.replaceAll(/ +\d+ ms/g, ' 0 ms').replaceAll(/ +p(50|95)/g, ' p$1');
    expect([code, timeless(stdout + said.join('\n'))]).toEqual([0, timeless(expected)]);
    expect(readFileSync(join(folder, 'report.html'), 'utf8')).toContain('<h1>Evaluation of Route Ticket</h1>');
  });
});

describe('an evaluation', () => {
  const keyWith = async (...scopes: readonly string[]): Promise<string> => {
    const { body } = await server.ask('POST', '/keys', { name: 'Evaluates', scopes });
    return String(body['key']);
  };
  const withKey = (key: string, ...args: readonly string[]) =>
    runCli({ cwd: folder, env: { ...env(), PATCHBAY_API_KEY: key } }, ...args);

  it('names the scopes that a budget takes, and needs fewer without one', async () => {
    const key = await keyWith('functions:read', 'functions:execute', 'settings:read', 'calls:read');
    const refused = await withKey(key, 'eval', 'routeTicket', '--budget', '1');
    expect(refused).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('needs the scopes keys:write, functions:e'),
    });
    expect((await withKey(key, 'eval', 'routeTicket')).code).toBe(0);
  });

  it('goes on only as what it was', async () => {
    const run = join(folder, 'same');
    const again = (...args: readonly string[]) => cli('eval', 'routeTicket', '--run', run, ...args);
    expect((await again('--versions', '1')).code).toBe(0);
    const tests = join(folder, 'functions/routeTicket/tests.yaml');
    expect(await again('--versions', '2')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('other models or versions'),
    });
    const key = await keyWith('*');
    const other = await withKey(key, 'eval', 'routeTicket', '--run', run);
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('another API key') });
    writeFileSync(tests, readFileSync(tests, 'utf8').replace('Twice', 'Thrice'));
    expect(await again()).toMatchObject({ code: 2, stderr: expect.stringContaining('the cases were changed') });
  });

  it('of a version that does not exist opens no run', async () => {
    const run = join(folder, 'missing');
    const refused = await cli('eval', 'routeTicket', '--run', run, '--versions', '1,9');
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('version 9') });
    expect(refused.stderr).not.toContain('to go on');
  });

  it('tells automatic choice once what it has found, and takes it back', async () => {
    const run = join(folder, 'applied');
    const learned = async () => {
      const body = { functionName: 'Find Word', settingsVersion: 2 };
      const { data } = (await server.ask('POST', '/models/explain', body)).body as {
        readonly data: readonly Explained[];
      };
      const scored = data.map(({ id, learned: found }) => [id, Math.round((found?.scores ?? 0) * 100) / 100] as const);
      return Object.fromEntries(scored.filter(([, scores]) => scores !== 0));
    };
    const evaluated = ['eval', 'Find Word', '--models', 'played/good,played/poor', '--versions', '2', '--dataset'];
    const first = await cli(...evaluated, '--run', run, '--apply');
    expect([first.code, first.stderr]).toEqual([0, expect.stringContaining('scores added to')]);
    expect(await learned()).toEqual({ 'played/good': CASES / 4, 'played/poor': CASES / 4 });
    // Without a run, there is nothing to take back: no model is called for it.
    played.clear();
    const nothing = await cli(...evaluated, '--undo');
    expect([nothing.code, nothing.stderr, played.counts().size]).toEqual([2, expect.stringContaining('--run'), 0]);
    const again = ['eval', 'Find Word', '--run', run];
    expect((await cli(...again, '--apply')).stderr).toContain('scores were already added');
    expect(Object.keys(await learned())).toHaveLength(2);
    expect((await cli(...again, '--undo')).stderr).toContain('scores taken back');
    expect(await learned()).toEqual({});
    const { body } = await server.ask('GET', '/audit?action=function.evidence.applied');
    expect(body['data']).toMatchObject([{ details: { undo: true } }, { details: { undo: false } }]);
  });

  it('of a function with code has one variant, and counts failures by their code', async () => {
    const shape = { type: 'object', properties: { text: { type: 'string' } } };
    const code = `export default ({ text }) => { if (text === 'b') throw new Error(text); return { text }; }`;
    const { body } = await server.ask('POST', '/functions', { name: 'Coded', input: shape, output: shape, code });
    const examples = ['a', 'b', 'c'].map((text) => ({ id: text, input: { text }, expected: { text } }));
    await server.ask('POST', `/functions/${String(body['id'])}/dataset`, { examples });
    const { stdout } = await cli('eval', 'Coded', '--dataset', '--json');
    const [variant] = reportIn(stdout).variants;
    expect(variant).toMatchObject({ passed: { count: 2, of: 3 }, failures: { function_failed: 1 }, noVotes: {} });
    expect(await cli('eval', 'Coded', '--dataset', '--versions', '1')).toMatchObject({ code: 2 });
    const none = await cli('eval', 'Coded');
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('evaluate with --dataset') });
    mkdirSync(join(folder, 'functions/coded'));
    const tests =
      'tests:\n  - { input: { text: b }, error: function_failed }\n  - { input: { text: 1 }, error: input_invalid }\n';
    writeFileSync(join(folder, 'functions/coded/tests.yaml'), tests);
    expect(reportIn((await cli('eval', 'Coded', '--json')).stdout).variants).toMatchObject([
      { passed: { count: 2, of: 2 } },
    ]);
  });

  it('ends at once where a model is not there', async () => {
    const misspelt = await cli('eval', 'Find Word', '--dataset', '--models', 'played/none');
    expect(misspelt).toMatchObject({ code: 1, stderr: expect.stringContaining('model_not_found') });
    expect(misspelt.stderr).toContain('"patchbay models list" shows those that there are');
  });
});
