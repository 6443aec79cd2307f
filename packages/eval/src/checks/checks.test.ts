import { APIError } from '@patchbay/client';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import type { Answer, CheckContext, Verdict } from '../eval-case.ts';
import { readTests } from './read-tests.ts';
import { Vectors } from './similar.ts';

/** Replies to requests of checks, by path; an error is thrown. */
type Replies = Readonly<Record<string, (body: { readonly input: object; readonly text: string }) => unknown>>;

const findFunction = async (name: string) => name.toLowerCase();

function read(text: string) {
  const value = parseDocument(text).toJS() as unknown;
  const placeOf = (path: readonly (string | number)[]) => path.join('/');
  return readTests({ file: 'tests.yaml', value, placeOf }, { vectors: new Vectors(), findFunction });
}

/** The verdicts of the checks of one test. */
async function grade(test: string, answer: Answer, replies: Replies = {}): Promise<readonly Verdict[]> {
  const [found] = read(`tests: [${test}]`).tests;
  if (!found) throw new Error('the file has no test');
  const { name: id, ...rest } = found;
  const call: CheckContext['call'] = async (path, body) => {
    const reply = replies[path]?.(body as { input: object; text: string });
    if (reply instanceof Error) throw reply;
    return reply;
  };
  const context = { case: { id, ...rest }, signal: new AbortController().signal, call };
  return await Promise.all(found.checks.map((check) => check.grade(answer, context)));
}

const passed = { score: 1, passed: true };
const failed = { score: 0, passed: false };
const failure: Answer = { error: { code: 'input_invalid', message: 'no' } };

describe('the checks of a test', () => {
  it.each<[test: string, output: unknown, verdict: object]>([
    ['{ output: { a: 1, b: [1] } }', { b: [1], a: 1 }, passed],
    ['{ output: { a: 1 } }', { a: 1, b: 2 }, failed],
    ['{ contains: { a: { b: 1 } } }', { a: { b: 1, c: 2 }, d: 3 }, passed],
    ['{ contains: { a: [1] } }', { a: [1, 2] }, failed],
    ['{ error: input_invalid }', {}, failed],
    ['{ schema: { required: [a], properties: { a: { pattern: "^x" } } } }', { a: 'xy' }, passed],
    ['{ schema: { required: [a], properties: { a: { pattern: "^x" } } } }', { a: 'yx' }, failed],
    ['{ matches: { /a/0: "^[A-Z]\\\\w+$", /b~1c: x } }', { a: ['Rome'], 'b/c': 'axb' }, passed],
    ['{ matches: { /a: "1" } }', { a: 1 }, failed],
    // Takes for ever in an engine that goes back.
    ['{ matches: { /a: "^(a+)+$" } }', { a: `${'a'.repeat(50_000)}!` }, failed],
    ['{ closeTo: { /a: { value: 100, relative: 0.01 } } }', { a: 101 }, passed],
    ['{ closeTo: { /a: { value: 100, relative: 0.01 } } }', { a: 101.1 }, failed],
    ['{ closeTo: { /a: { value: -100, relative: 0.01, absolute: 2 } } }', { a: -102 }, passed],
    ['{ expected: { a: 5 }, closeTo: { /a: { absolute: 0 } } }', { a: 5 }, passed],
    ['{ closeTo: { /a: { value: 1, absolute: 1 } } }', { a: '1' }, failed],
    ['{ expected: { b: 5 }, closeTo: { /a: { absolute: 0 } } }', { a: 5 }, { noVote: 'no number is expected at /a' }],
  ])('%s, row %#', async (test, output, verdict) => {
    expect(await grade(test, { output })).toEqual([expect.objectContaining(verdict)]);
  });

  it('fail where the function failed, unless this failure is expected', async () => {
    const checks =
      '{ contains: {}, schema: {}, matches: { /a: x }, similar: { /a: { value: b, model: m } }, judge: J }';
    expect(await grade(checks, failure)).toEqual(Array.from({ length: 5 }, () => failed));
    expect(await grade('{ error: input_invalid }', failure)).toEqual([passed]);
    expect(await grade('{ error: function_failed }', failure)).toEqual([failed]);
  });

  it('compare meanings by the cosine of embeddings, and ask for each text once', async () => {
    const texts: string[] = [];
    const vectors: Readonly<Record<string, readonly number[]>> = { sea: [3, 4], ocean: [4, 3], car: [-4, 3] };
    const replies: Replies = {
      '/embeddings': ({ text }) => {
        texts.push(text);
        return { embedding: vectors[text] };
      },
    };
    const test = '{ similar: { /a: { value: sea, model: m, threshold: 0.96 }, /b: { value: sea, model: m } } }';
    const [verdict] = await grade(test, { output: { a: 'ocean', b: 'sea' } }, replies);
    expect(verdict).toEqual({ score: expect.closeTo(0.96, 6), passed: true, reason: '/a 0.960, /b 1.000' });
    expect(texts.toSorted()).toEqual(['ocean', 'sea']);
    const one = '{ similar: { /a: { value: sea, model: m } } }';
    expect(await grade(one, { output: { a: 'car' } }, replies)).toMatchObject([failed]);
    expect(await grade(one, { output: { a: 1 } }, replies)).toMatchObject([failed]);
    const refused = { '/embeddings': () => new APIError(404, { code: 'model_not_found' } as never) };
    expect(await grade(one, { output: { a: 'x' } }, refused)).toEqual([
      { noVote: 'the embeddings failed: model_not_found' },
    ]);
  });
});

describe('a judge', () => {
  const verdictOf = async (output: unknown, test = '{ judge: J }') =>
    (await grade(test, { output: {} }, { '/functions/j/execute': () => ({ output }) }))[0];

  it.each<[output: unknown, verdict: object]>([
    [{ score: 0.5 }, { score: 0.5, passed: true }],
    [
      { score: 0.49, reason: 'vague' },
      { score: 0.49, passed: false, reason: 'vague' },
    ],
    [{ verdict: true }, passed],
    [{ verdict: 'fail' }, failed],
    [
      { verdict: 'fail', score: 0.9 },
      { score: 0.9, passed: false },
    ],
    [{ verdict: 'abstain', score: 1 }, { noVote: 'J abstained' }],
    [{ score: null }, { noVote: 'J abstained' }],
    [{ reason: 'no idea' }, { noVote: 'J abstained' }],
    [{ score: 7 }, { noVote: 'J gave a score outside of 0 to 1' }],
    [{ score: '1' }, { noVote: 'J gave a score outside of 0 to 1' }],
    [{ verdict: 'good' }, { noVote: 'J gave no verdict that is known' }],
    [null, { noVote: 'J abstained' }],
  ])('that answers %j', async (output, verdict) => {
    expect(await verdictOf(output)).toEqual(verdict);
  });

  it('receives input, output and the expected output, and its threshold decides', async () => {
    const seen: object[] = [];
    const replies: Replies = {
      '/functions/j/execute': ({ input }) => {
        seen.push(input);
        return { output: { score: 0.8 } };
      },
    };
    const test = '{ input: { a: 1 }, expected: { b: 3 }, judge: { functions: [J], threshold: 0.9 } }';
    expect(await grade(test, { output: { b: 2 } }, replies)).toEqual([{ score: 0.8, passed: false }]);
    expect(seen).toEqual([{ input: { a: 1 }, output: { b: 2 }, expected: { b: 3 } }]);
  });

  it('that fails, or whose output does not fit its schema, has no vote', async () => {
    for (const code of ['function_output_invalid', 'function_failed', 'input_invalid', 'provider_error']) {
      const replies = { '/functions/j/execute': () => new APIError(422, { code } as never) };
      expect(await grade('{ judge: J }', { output: {} }, replies)).toEqual([{ noVote: `J failed: ${code}` }]);
    }
  });

  it('ends the run where the key of the run is refused, or its budget is used up', async () => {
    for (const [status, code] of [
      [401, 'key_revoked'],
      [403, 'insufficient_scope'],
      [429, 'quota_exceeded'],
    ] as const) {
      const replies = { '/functions/j/execute': () => new APIError(status, { code } as never) };
      await expect(grade('{ judge: J }', { output: {} }, replies)).rejects.toThrow(code);
    }
  });

  it.each<[combine: string, outputs: readonly object[], verdict: object]>([
    ['majority', [{ score: 1 }, { score: 0.6 }, { score: 0 }], { score: 2 / 3, passed: true }],
    ['majority', [{ score: 1 }, { score: 0 }, { verdict: 'abstain' }], { noVote: 'the judges are divided' }],
    ['majority', [{ score: null }, { score: null }, { score: 0.7 }], { score: 0.7, passed: true }],
    ['majority', [{ score: null }, { score: null }, { score: null }], { noVote: 'A abstained' }],
    ['mean', [{ score: 1 }, { score: 0.5 }, { score: null }], { score: 0.75, passed: true }],
    ['mean', [{ score: 0.5 }, { score: 0.25 }, { score: 0.25 }], { score: 1 / 3, passed: false }],
  ])('among others, by %s of %j', async (combine, outputs, verdict) => {
    const names = ['A', 'B', 'C'];
    const replies = Object.fromEntries(
      names.map((name, index) => [`/functions/${name.toLowerCase()}/execute`, () => ({ output: outputs[index] })]),
    );
    const test = `{ judge: { functions: [A, B, C], combine: ${combine} } }`;
    const [actual] = await grade(test, { output: {} }, replies);
    expect(actual).toEqual(verdict);
  });
});

describe('a file of tests', () => {
  it('is refused with the place of every fault', () => {
    const faults = (text: string): readonly string[] => {
      try {
        read(text);
        return [];
      } catch (error) {
        return (error as Error).message.split('\n');
      }
    };
    expect(faults('tests: [{ output: {} }]')).toEqual([]);
    expect(faults('{}')).toEqual(['tests.yaml: the file needs tests or dataset']);
    expect(faults('tests: [{ outputs: {} }, { output: 1 }]')).toEqual([
      expect.stringMatching(
        /^tests\.yaml:tests\/0\/outputs has an unknown member "outputs"; there are name, input, .*judge$/,
      ),
      'tests.yaml:tests/1/output tests.1.output must be object',
    ]);
    expect(faults('tests: [{ input: {} }]')).toEqual([
      'tests.yaml:tests/0 needs a check: one of output, contains, error, schema, matches, closeTo, similar, judge',
    ]);
    expect(faults('tests: [{ error: x, output: {} }]')).toEqual([
      'tests.yaml:tests/0 cannot have error beside other checks: error, output',
    ]);
    expect(faults('tests: [{ matches: { /a: "(" } }, { schema: { type: nothing } }]')).toEqual([
      expect.stringMatching(/^tests\.yaml:tests\/0\/matches .*\(/),
      expect.stringMatching(/^tests\.yaml:tests\/1\/schema .*type/),
    ]);
    expect(faults('tests: [{ closeTo: { a: { value: 1, absolute: 1 } } }, { closeTo: { /a: { value: 1 } } }]')).toEqual(
      [
        'tests.yaml:tests/0/closeTo tests.0.closeTo must be a JSON Pointer such as /summary',
        expect.stringContaining('absolute'),
        expect.stringContaining('relative'),
      ],
    );
    expect(faults('dataset: { output: {} }')).toEqual([expect.stringContaining('unknown member "output"')]);
  });

  it('can declare how answers to examples are checked', async () => {
    const { tests, checksOfExample } = read('dataset: { closeTo: { /a: { absolute: 1 } } }');
    expect(tests).toEqual([]);
    const [check] = checksOfExample?.({ a: 7 }) ?? [];
    expect(await check?.grade({ output: { a: 8 } }, undefined as never)).toEqual(passed);
    expect(check?.expectation).toBe('/a 7 ± 1');
  });
});
