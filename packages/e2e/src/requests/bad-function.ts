import { describe, expect, it } from 'vitest';
import { expectProblem } from '../driver/expect-problem.ts';
import { echo } from '../driver/sample-functions.ts';
import type { Answer } from '../driver/server-process.ts';
import type { ServerInUse } from '../driver/use-server.ts';

/** Functions that cannot be saved: fields, schemas and code. */
export function badFunctionSuite(server: ServerInUse): void {
  const save = (changes: object): Promise<Answer> => server.ask('POST', '/functions', { ...echo, ...changes });

  describe('fields', () => {
    it.each([
      ['name', 'required'],
      ['input', 'required'],
      ['output', 'required'],
      ['code', 'required'],
    ])('without %s', async (field, fault) => {
      expectProblem(await save({ [field]: undefined }), 'invalid_request', `/${field}`, fault);
    });

    it.each([
      ['name', 1],
      ['name', null],
      ['name', ['a']],
      ['name', ''],
      ['name', 'x'.repeat(201)],
      ['name', 'a\nb'],
      ['name', 'a\u007fb'],
      ['description', 1],
      ['description', null],
      ['code', {}],
      ['input', 'object'],
      ['input', []],
      ['input', null],
      ['output', true],
    ])('%s as %j', async (field, value) => {
      expectProblem(await save({ [field]: value }), 'invalid_request', `/${field}`);
    });

    it.each([
      ['descripton', 'description'],
      ['Name', 'name'],
      ['inputs', 'input'],
      ['out_put', 'output'],
    ])('%s, and says what was meant', async (given, meant) => {
      const answer = await save({ [given]: 'x' });
      expectProblem(answer, 'invalid_request', `/${given}`, 'unknown_field');
      const [fault] = answer.body['errors'] as { detail: string }[];
      expect(fault?.detail).toContain(`did you mean "${meant}"?`);
    });

    it('all faults at once, but not thousands', async () => {
      const answer = await save({ name: 1, code: 2, more: 3 });
      expect((answer.body['errors'] as { pointer: string }[]).map(({ pointer }) => pointer).sort()).toEqual([
        '/code',
        '/more',
        '/name',
      ]);
      expectProblem(
        await save(Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`x${index}`, 1]))),
        'invalid_request',
      );
    });

    it.each([
      ['an array', '[]'],
      ['a text', '"x"'],
      ['null', 'null'],
      ['a number', '1'],
    ])('%s as the body', async (_, body) => {
      expectProblem(await server.ask('POST', '/functions', body), 'invalid_request', '', 'type');
    });
  });

  describe('schemas', () => {
    const deep = (levels: number): object =>
      levels === 0 ? { type: 'string' } : { type: 'array', items: deep(levels - 1) };
    const withA = (schema: unknown): object => ({ type: 'object', properties: { a: schema } });

    it.each<[string, object, string, string]>([
      ['no type', {}, '/type', 'root_type'],
      ['another root', { type: 'array', items: {} }, '/type', 'root_type'],
      ['an unknown keyword', { type: 'object', propertys: {} }, '/propertys', 'keyword_not_accepted'],
      ['a $ref to nothing', withA({ $ref: '#/$defs/b' }), '/properties/a/$ref', 'reference_unknown'],
      ['a $ref to another document', withA({ $ref: 'https://a.ch/b' }), '/properties/a/$ref', 'keyword_invalid'],
      ['a $ref to itself', withA({ $ref: '#/properties/a' }), '/properties/a/$ref', 'reference_endless'],
      [
        'a $ref that doubles with every step',
        {
          type: 'object',
          allOf: [{ $ref: '#/$defs/a0' }],
          $defs: Object.fromEntries(
            Array.from({ length: 30 }, (_, index) => {
              const next = { $ref: `#/$defs/a${index + 1}` };
              return [`a${index}`, index === 29 ? {} : { allOf: [next, next] }];
            }),
          ),
        },
        '',
        'too_many_nodes',
      ],
      ['$data', withA({ type: 'number', maximum: { $data: '1/b' } }), '/properties/a/maximum', 'keyword_invalid'],
      ['$dynamicRef', withA({ $dynamicRef: '#a' }), '/properties/a/$dynamicRef', 'keyword_not_accepted'],
      ['oneOf as an object', withA({ oneOf: {} }), '/properties/a/oneOf', 'keyword_invalid'],
      [
        'patternProperties with a pattern that is none',
        { type: 'object', patternProperties: { '(a': {} } },
        '/patternProperties',
        'keyword_invalid',
      ],
      ['a type that is none', withA({ type: 'text' }), '/properties/a/type', 'keyword_invalid'],
      ['properties as a list', { type: 'object', properties: [] }, '/properties', 'keyword_invalid'],
      ['required as a string', { type: 'object', required: 'a' }, '/required', 'keyword_invalid'],
      ['an empty enum', withA({ enum: [] }), '/properties/a/enum', 'keyword_invalid'],
      ['minLength below 0', withA({ minLength: -1 }), '/properties/a/minLength', 'keyword_invalid'],
      ['multipleOf 0', withA({ multipleOf: 0 }), '/properties/a/multipleOf', 'keyword_invalid'],
      ['a format that is no text', withA({ format: 1 }), '/properties/a/format', 'keyword_invalid'],
      ['65 alternatives', withA({ anyOf: Array(65).fill({}) }), '/properties/a/anyOf', 'keyword_invalid'],
      ['33 levels', withA(deep(31)), `/properties/a${'/items'.repeat(31)}`, 'too_deep'],
      [
        '501 schemas',
        {
          type: 'object',
          properties: Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`p${index}`, {}])),
        },
        '',
        'too_many_nodes',
      ],
      ['64 KiB', { type: 'object', description: 'x'.repeat(65_536) }, '', 'too_large'],
      [
        'a property __proto__',
        JSON.parse('{"type":"object","properties":{"__proto__":{}}}'),
        '/properties',
        'reserved_name',
      ],
      [
        'a default with __proto__',
        withA({ default: JSON.parse('{"__proto__":1}') }),
        '/properties/a/default',
        'reserved_name',
      ],
    ])('%s', async (_, schema, pointer, fault) => {
      expectProblem(await save({ input: schema }), 'schema_invalid', `/input${pointer}`, fault);
      expectProblem(await save({ output: schema }), 'schema_invalid', `/output${pointer}`, fault);
    });

    it.each([
      ['look-ahead', '(?=a)b'],
      ['a back-reference', '(a)\\1'],
      ['one that does not close', '(a'],
      ['a repetition that explodes', '((a{0,100}){0,100}){0,100}'],
      ['very long', 'a'.repeat(513)],
      ['a program that is too large', '(aa|bb|cc)'.repeat(100)],
    ])('a pattern: %s', async (_, pattern) => {
      expectProblem(
        await save({ input: withA({ type: 'string', pattern }) }),
        'schema_invalid',
        '/input/properties/a/pattern',
      );
    });

    it('at most 50 faults are named', async () => {
      const faults = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`x${index}`, {}]));
      const answer = await save({ input: { type: 'object', ...faults } });
      expectProblem(answer, 'schema_invalid', '/input/x0', 'keyword_not_accepted');
      expect(answer.body['errors']).toHaveLength(50);
    });
  });

  describe('code', () => {
    it.each([
      ['a missing bracket', 'export default (input) => ({ a: 1 )', 1],
      ['a word too many', 'function f(input) {\n  return return {};\n}', 2],
      ['a string that does not end', 'export default () => "', 1],
      ['TypeScript that does not parse', 'export default (a: ): object => ({})', 1],
      ['a regular expression that does not compile', 'export default () => ({\n a: /(/.test("a") })', 2],
      ['import', 'import fs from "node:fs";\nexport default () => ({})', 1],
      ['dynamic import', 'export default async () => {\n await import("node:fs");\n return {} }', 2],
    ])('%s, with line and column', async (_, code, line) => {
      const answer = await save({ code });
      expectProblem(answer, 'code_invalid', '/code');
      const [fault] = answer.body['errors'] as { line: number; column: number }[];
      expect(fault?.line).toBe(line);
      expect(fault?.column).toBeGreaterThan(0);
    });

    it.each([
      ['empty', ''],
      ['blank', '\n  \n'],
      ['no function', 'const a = 1;'],
      ['a default that is no function', 'export default 5'],
      ['more than 256 KiB', `export default () => ({}) // ${'x'.repeat(262_144)}`],
      ['brackets 50,000 deep', `export default () => ${'['.repeat(50_000)}${']'.repeat(50_000)}`],
      ['a million unary operators', `export default () => ${'!'.repeat(200_000)}1`],
    ])('%s', async (_, code) => {
      expectProblem(await save({ code }), 'code_invalid', '/code');
    });

    it('TypeScript that does not fit its schemas', async () => {
      const output = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
      const answer = await save({ output, code: 'export default (): { n: string } => ({ n: "x" })' });
      expectProblem(answer, 'code_invalid', '/code');
    });
  });

  it('no invalid function is stored', async () => {
    expect((await server.ask('GET', '/functions')).body['data']).toEqual([]);
  });
}
