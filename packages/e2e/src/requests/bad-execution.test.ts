import { beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../driver/expect-problem.ts';
import { echo, summarize } from '../driver/sample-functions.ts';
import type { Answer } from '../driver/server-process.ts';
import { useServerHere } from '../driver/use-server-here.ts';

// Executions that cannot be completed. Each is answered with 422 and the execution, and is kept as it was answered.

const config = (timeoutMs: number) => `patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
executor: { use: "@patchbay/executor-deno", with: { spares: 1 } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
secretFile: ./secret
executions: { timeoutMs: ${timeoutMs} }
`;
// Longer than any of this takes on a busy machine.
const server = useServerHere({ config: config(60_000) });

async function run(changes: object, input: unknown = {}): Promise<Answer> {
  const created = await server.ask('POST', '/functions', { ...echo, ...changes });
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  return await server.ask('POST', `/functions/${String(created.body['id'])}/execute`, { input });
}

interface Failed {
  readonly id: string;
  readonly status: string;
  readonly error: { readonly code: string; readonly message: string };
}

/** The execution in a problem document, once it is certain that it is the stored one. */
async function executionIn({ body }: Answer): Promise<Failed> {
  const execution = body['execution'] as Failed;
  expect((await server.ask('GET', `/executions/${execution.id}`)).body).toEqual(execution);
  return execution;
}

describe('code that', () => {
  it.each([
    ['throws', 'export default () => { throw new TypeError("no luck") }', 'TypeError: no luck'],
    ['throws a string', 'export default () => { throw "no luck" }', 'no luck'],
    ['throws nothing', 'export default () => { throw undefined }', ''],
    ['rejects', 'export default async () => { await null; throw new Error("no luck") }', 'no luck'],
    ['throws while it loads', 'throw new Error("no luck"); export default () => ({})', 'no luck'],
    ['is not there', 'export default (input) => input.a.b', 'TypeError'],
    ['overflows the stack', 'export default function f() { return f() }', 'RangeError'],
    ['calls what the jail does not have', 'export default () => Deno.readTextFileSync("/etc/passwd")', ''],
    ['reaches for the network', 'export default async () => { await fetch("http://127.0.0.1:1") ; return {} }', ''],
    ['starts a process', 'export default () => new Deno.Command("ls").outputSync()', ''],
    ['exits', 'export default () => { Deno.exit(0) }', ''],
    ['never settles', 'export default () => new Promise(() => {})', ''],
  ])('%s', async (_, code, message) => {
    const answer = await run({ code });
    expectProblem(answer, 'function_failed');
    const { status, error } = await executionIn(answer);
    expect(status).toBe('failed');
    expect(error.message).toContain(message);
    expect(JSON.stringify(answer.body)).not.toMatch(/root:|\/home\/|file:|bootstrap|data:/);
  });

  it.each([
    [
      'uses up the memory',
      'export default () => { const a = []; for (;;) a.push(new Array(1_000_000).fill(a.length)) }',
    ],
    ['returns 2 MB', 'export default () => ({ a: "x".repeat(2_000_000) })'],
  ])('%s', async (_, code) => {
    const answer = await run({ code });
    expectProblem(answer, 'function_resource_exceeded');
    expect((await executionIn(answer)).status).toBe('failed');
  });

  it('floods the log', async () => {
    const { status, body } = await run({
      code: 'export default () => { for (let i = 0; i < 3_000; i += 1) console.log("x".repeat(100)); return {} }',
    });
    expect([status, body['logsTruncated']]).toEqual([200, true]);
    expect(JSON.stringify(body['logs']).length).toBeLessThan(200_000);
  });
});

describe('an output that', () => {
  const output = {
    type: 'object',
    properties: { n: { type: 'integer' } },
    required: ['n'],
    additionalProperties: false,
  };

  it.each([
    ['is of another type', '({ n: "1" })', '/output/n', 'type'],
    ['is not there', '({})', '/output/n', 'required'],
    ['has more', '({ n: 1, m: 2 })', '/output/m', 'additionalProperties'],
    ['is undefined inside', '({ n: undefined })', '/output/n', 'required'],
  ])('%s', async (_, expression, pointer, fault) => {
    const answer = await run({ output, code: `export default () => (${expression})` });
    expectProblem(answer, 'function_output_invalid', pointer, fault);
    expect(await executionIn(answer)).toMatchObject({ status: 'failed', error: { code: 'output_invalid' } });
  });

  it.each([
    ['has a BigInt', '({ n: 1n })'],
    ['has NaN', '({ n: NaN })'],
    ['has Infinity', '({ n: [-Infinity] })'],
    ['has a cycle', '(() => { const a = {}; a.a = a; return a })()'],
    ['throws when it is read', '({ get n() { throw new Error("no") } })'],
    ['has a toJSON that throws', '({ toJSON() { throw new Error("no") } })'],
    ['is nested too deeply', '(() => { let a = {}; for (let i = 0; i < 5_000; i += 1) a = { a }; return a })()'],
    ['is undefined', 'undefined'],
    ['is null', 'null'],
    ['is a list', '[1]'],
    ['is a string', '"x"'],
    ['is a function', '() => {}'],
    ['has a NUL', '({ n: "a\\u0000b" })'],
    ['has a lone surrogate', '({ n: "\\ud800" })'],
  ])('%s', async (_, expression) => {
    const answer = await run({ code: `export default () => (${expression})` });
    expectProblem(answer, 'function_output_invalid');
    expect((await executionIn(answer)).status).toBe('failed');
  });
});

describe('an input that', () => {
  it.each([
    [{}, '/input/text', 'required'],
    [{ text: 1 }, '/input/text', 'type'],
    [{ text: 'x', maxPoints: '5' }, '/input/maxPoints', 'type'],
    [{ text: 'x', maxPoints: 1.5 }, '/input/maxPoints', 'type'],
  ])('equals %j', async (input, pointer, fault) => {
    expectProblem(await run(summarize, input), 'input_invalid', pointer, fault);
  });

  it.each([[null], [[]], ['x'], [1]])('equals %j instead of an object', async (input) => {
    expectProblem(await run(summarize, input), 'invalid_request', '/input', 'type');
  });

  it('lacks "input", or has unknown members beside it', async () => {
    const { body } = await server.ask('POST', '/functions', echo);
    const path = `/functions/${String(body['id'])}/execute`;
    expectProblem(await server.ask('POST', path, {}), 'invalid_request', '/input', 'required');
    expectProblem(await server.ask('POST', path, { inputs: {} }), 'invalid_request', '/inputs', 'unknown_field');
    expectProblem(await server.ask('POST', path), 'unsupported_media_type');
    const list = await server.ask('GET', `/functions/${String(body['id'])}/executions`);
    expect(list.body['meta']).toMatchObject({ total: 0 });
  });

  it('exceeds the time limit of a pattern', async () => {
    const input = { type: 'object', properties: { a: { type: 'string', pattern: '^(a|aa|a?b){1,30}$' } } };
    expectProblem(await run({ input }, { a: 'a'.repeat(500_000) }), 'input_invalid', '/input', 'pattern');
  });

  it('exceeds the cost limit of validation', async () => {
    const eight = (leaf: object): object => ({ anyOf: Array(8).fill(leaf) });
    const input = { type: 'object', properties: { a: { type: 'array', items: eight(eight({ type: 'string' })) } } };
    expectProblem(await run({ input }, { a: Array(50_000).fill(1) }), 'input_invalid', '/input', 'too_costly');
  });

  it('exceeds the size limit through defaults', async () => {
    const text = { type: 'string', default: 'x'.repeat(60_000) };
    const input = {
      type: 'object',
      properties: { a: { type: 'array', items: { type: 'object', properties: { text } } } },
    };
    expectProblem(await run({ input }, { a: Array(20_000).fill({}) }), 'input_invalid', '/input', 'too_large');
  });
});

describe('code that exceeds the time limit', () => {
  beforeAll(() => server.running.reload(config(500)));

  it.each([
    ['loops', 'export default () => { for (;;); }'],
    ['loops in a regular expression', 'export default () => ({ a: /^(a+)+$/.test("a".repeat(60) + "b") })'],
    [
      'waits too long',
      'export default async () => { await new Promise((resolve) => setTimeout(resolve, 60_000)); return {} }',
    ],
    ['loops while it loads', 'for (;;); export default () => ({})'],
  ])('%s', async (_, code) => {
    const answer = await run({ code });
    expectProblem(answer, 'function_timeout');
    expect(await executionIn(answer)).toMatchObject({ status: 'timed_out', error: { code: 'wall_limit' } });
  });
});
