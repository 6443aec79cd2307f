import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCli } from '@patchbay/server/fixtures/run-cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../driver/run-server.ts';
import { adminKey } from '../driver/server-process.ts';
import { useServerHere } from '../driver/use-server-here.ts';

// Datasets and judges by the command line, against a real server.

const server = useServerHere();
const folder = newFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const cli = (args: readonly string[], input?: string) => {
  const env = { PATCHBAY_URL: server.running.url, PATCHBAY_API_KEY: adminKey };
  return runCli({ cwd: folder, env, ...(input !== undefined && { input }) }, ...args);
};
const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

const save = async (fields: object): Promise<string> => {
  const { status, body } = await server.ask('POST', '/functions', { input: text, output: text, ...fields });
  expect(status).toBe(201);
  return (body as { readonly id: string }).id;
};

/** Id of the function under test. */
let shout: string;

beforeAll(async () => {
  shout = await save({ name: 'Shout', code: 'export default ({ text }) => ({ text: text.toUpperCase() })' });
  const open = { type: 'object', properties: {} };
  // Passes what is short, abstains where it sees "?", and breaks its schema where it sees "!".
  const code = `export default ({ output: { text } }) =>
    text.includes('!') ? { verdict: 'good' } : { verdict: text.includes('?') ? 'abstain' : text.length < 4 ? 'pass' : 'fail' }`;
  const verdict = { type: 'object', properties: { verdict: { enum: ['pass', 'fail', 'abstain'] } } };
  await save({ name: 'Is Short', input: open, output: verdict, code });
});

const example = (id: string, output?: string, score?: number) =>
  JSON.stringify({
    id,
    input: { text: id },
    ...(output !== undefined && { output: { text: output } }),
    ...(score !== undefined && { scores: { score } }),
  });

describe('the dataset of a function', () => {
  it('is imported in parts, exported as it is imported, listed, and removed', async () => {
    const lines = Array.from({ length: 1_203 }, (_, index) => example(`case-${index}`));
    writeFileSync(join(folder, 'cases.jsonl'), `${lines.join('\n')}\n`);
    expect(await cli(['dataset', 'import', 'Shout', 'cases.jsonl'])).toEqual({
      code: 0,
      stdout: '1203 added, 0 changed, 0 unchanged\n',
      stderr: '',
    });
    const exported = await cli(['dataset', 'export', 'shout']);
    expect(exported.stdout.trimEnd().split('\n')).toHaveLength(1_203);
    const again = await cli(['dataset', 'import', 'shout', '-'], exported.stdout);
    expect(again.stdout).toBe('0 added, 0 changed, 1203 unchanged\n');
    expect((await cli(['dataset', 'remove', 'shout', 'case-7', '--yes'])).stdout).toBe('deleted  case-7\n');
    expect((await cli(['dataset', 'remove', 'shout', 'case-7', '--yes'])).code).toBe(4);
    expect((await cli(['dataset', 'list', 'shout'])).stderr).toBe('1202 examples\n');
    expect((await cli(['dataset', 'remove', 'shout', '--yes'])).stdout).toBe('deleted  1202 examples\n');
  });

  it('is not imported from lines that do not fit, which are named', async () => {
    const file = join(folder, 'wrong.jsonl');
    const good = Array.from({ length: 500 }, (_, index) => example(`good-${index}`));
    writeFileSync(file, ['', ...good, '', '{"input":{"text":1}}', '{"inputs":{}}'].join('\n'));
    const { code, stderr } = await cli(['dataset', 'import', 'shout', 'wrong.jsonl']);
    expect(code).toBe(2);
    expect(stderr).toContain('wrong.jsonl:504 /inputs is not a field here');
    expect(stderr).toContain('500 examples of the lines before are stored');
    writeFileSync(file, '{"input":{"text":1}}\n');
    const typed = await cli(['dataset', 'import', 'shout', 'wrong.jsonl']);
    expect(typed.stderr).toContain('wrong.jsonl:1 /input/text must be string\nnothing was stored');
    writeFileSync(file, '{"input":\n');
    expect((await cli(['dataset', 'import', 'shout', 'wrong.jsonl'])).stderr).toContain('wrong.jsonl:1 is not JSON');
    expect((await cli(['dataset', 'import', 'shout', 'absent.jsonl'])).stderr).toContain('absent.jsonl');
    await cli(['dataset', 'remove', 'shout', '--yes']);
  });
});

describe('the agreement of a judge', () => {
  it('is shown beside the scores that people gave, without votes that are none', async () => {
    const answers = [
      ...Array.from({ length: 12 }, (_, index) => example(`a-${index}`, 'abc', 1)),
      ...Array.from({ length: 6 }, (_, index) => example(`b-${index}`, 'abcd', 0)),
      example('c', 'abc', 0),
      example('d', 'abcd', 1),
      example('e', 'a?', 1),
      example('f', 'a!', 1),
      example('g'),
    ];
    await cli(['dataset', 'import', 'Shout', '-'], answers.join('\n'));
    const { code, stdout } = await cli(['eval', 'Shout', '--judge-agreement', 'Is Short']);
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        'Is Short beside score: 22 answers, 20 votes; 1 example without a score left out',
        'agreement    0.90 (0.70 to 0.97)',
        'kappa        0.78 (0.49 to 1.00)',
        '         judge passes   judge fails',
        'score 1            12             1',
        'score 0             1             6',
        'no vote      1  Is Short abstained',
        'no vote      1  Is Short failed: function_output_invalid',
        '',
      ].join('\n'),
    );
    const path = `/functions/${shout}/settings`;
    expect((await server.ask('PUT', path, { metrics: { errors: { optimize: 'min' } } })).status).toBe(200);
    const flawed = { input: { text: 'x' }, output: { text: 'abcd' }, scores: { errors: 1 } };
    await cli(['dataset', 'import', 'Shout', '-'], JSON.stringify(flawed));
    const opposite = await cli(['eval', 'Shout', '--judge-agreement', 'Is Short', '--metric', 'errors']);
    expect(opposite.stdout).toContain('errors 0             0             0\nerrors 1             0             1\n');
    const none = await cli(['eval', 'Shout', '--judge-agreement', 'Is Short', '--metric', 'taste']);
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('24 examples of Shout') });
    const unknown = await cli(['eval', 'Shout', '--judge-agreement', 'Nothing']);
    expect(unknown).toMatchObject({ code: 4, stderr: expect.stringContaining('"Nothing"') });
  });

  it('reads answers with feedback', async () => {
    const { body } = await server.ask('POST', '/call/Shout', { input: { text: 'ab' } });
    const target = (body as { readonly id: string }).id;
    await server.ask('POST', '/feedback', { target, value: true });
    const args = ['eval', 'Shout', '--judge-agreement', 'Is Short', '--source', 'feedback', '--json'];
    expect(JSON.parse((await cli(args)).stdout)).toMatchObject({
      labels: 1,
      votes: 1,
      binary: {
        confusion: [
          [1, 0],
          [0, 0],
        ],
        agreement: { value: 1 },
      },
    });
  });
});

describe('tests of stored functions', () => {
  it('ask judges, and do not pass what nothing has judged', async () => {
    const to = join(folder, 'functions', 'shout');
    expect((await cli(['functions', 'pull', 'Shout'])).code).toBe(0);
    writeFileSync(
      join(to, 'tests.yaml'),
      `tests:
  - { name: short, input: { text: abc }, judge: Is Short, matches: { /text: "^[A-Z]+$" } }
  - { name: long, input: { text: abcd }, judge: Is Short }
  - { name: unsure, input: { text: "a?" }, judge: { functions: [Is Short] } }
  - name: alike
    input: { text: rome was not built in a day }
    expected: { text: ROME WAS BUILT IN A YEAR }
    similar: { /text: { model: demo/hash-embed-512, threshold: 0.3 } }
  - name: of another meaning
    input: { text: rome was not built in a day }
    similar: { /text: { value: cats, model: demo/hash-embed-512 } }
`,
    );
    const { code, stdout } = await cli(['functions', 'test', '--deployed']);
    expect([code, stdout]).toEqual([
      1,
      [
        'passed  shout: short',
        'failed  shout: long',
        '  expected  an output that passes Is Short',
        '  actual    {"text":"ABCD"}',
        'failed  shout: unsure',
        '  expected  an output that passes Is Short',
        '  actual    {"text":"A?"}: Is Short abstained',
        'passed  shout: alike',
        'failed  shout: of another meaning',
        '  expected  /text like "cats" (0.75)',
        '  actual    {"text":"ROME WAS NOT BUILT IN A DAY"}: /text 0.000',
        '',
      ].join('\n'),
    ]);
    writeFileSync(join(to, 'tests.yaml'), 'tests:\n  - name: x\n    outputs: {}\n  - name: y\n');
    const refused = await cli(['functions', 'test']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('tests.yaml:3:14 has an unknown member "outputs"');
  });
});
