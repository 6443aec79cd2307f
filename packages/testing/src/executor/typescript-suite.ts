import assert from 'node:assert/strict';
import type { Schema } from '@patchbay/core/plugin';
import { assertRefused, type ExecutorSuite, failureOf, outputOf, type Refused } from './executor-under-test.ts';

const inputSchema: Schema = {
  type: 'object',
  properties: { text: { type: 'string' }, size: { type: 'integer', default: 5 }, note: { type: 'string' } },
  required: ['text'],
};
const outputSchema: Schema = {
  type: 'object',
  properties: { mood: { type: 'string', enum: ['good', 'bad'] }, size: { type: 'integer' } },
  required: ['mood'],
};
const schemas = { inputSchema, outputSchema };

const accepted: readonly string[] = [
  'async function run({ text, size }: Input): Promise<Output> { return { mood: "good", size }; }',
  'async function run({ text, size }: { text: string; size: number }) { return { mood: "good", size }; }',
  'interface In { text: string; note: string }\nexport default (input: In): Output => ({ mood: "bad" });',
  'function run(input: any) { return input; }',
  'function run(input: unknown, context: Context): { mood: "good" } { context.log.info(input); return { mood: "good" }; }',
  'enum Mood { Good = "good" }\nconst run = async (input: Input) => ({ mood: Mood.Good, extra: 1 });',
  'async (input: Input) => ({ mood: input.text.length > 3 ? "good" : "bad" })',
  'function helper<T>(value: T): T { return value; }\nfunction run() { return helper({ mood: "good" }); }',
];

const refused: Refused = [
  ['const size: number = "five";\nexport default (input: Input): Output => ({ mood: "good" });', 1, 7, 'ts2322'],
  ['export default ({ text }: Input): Output => {\n  return { mood: text };\n};', 2, 12, 'ts2322'],
  ['\n\n  async (input: Input) => {\n    input.txt;\n    return { mood: "good" };\n  }', 4, 11, 'ts2551'],
  ['function run(input: { text: number }) { return { mood: "good" }; }', 1, 14, 'ts2322'],
  ['function run(input: Input) { return { size: 1 }; }', 1, 10, 'ts2322'],
  ['function run(input: Input): { mood: number } { return { mood: 1 }; }', 1, 29, 'ts2322'],
  ['function run(input: Input) {}', 1, 10, 'ts2322'],
  ['async function run(input: Input) { await fetch("x"); return { mood: "good" }; }', 1, 42, 'ts2304'],
  [
    '// é😀\nconst é: string = "😀"; const n: number = é; const run = (i: Input) => ({ mood: "good" });',
    2,
    31,
    'ts2322',
  ],
];

const generators: readonly string[] = [
  'export default async function* (input: Input) { yield { size: 1 }; yield { mood: "good" }; }',
  'export default async function* (input: Input) { yield "go"; yield "od"; return { mood: "good" }; }',
  'export default async function* (input: Input): AsyncGenerator<Yield, Output> { yield { size: 1 }; return { mood: "bad" }; }',
  'function* run(input: Input) { yield { size: 1 }; if (input.size > 3) return { mood: "good" }; yield { mood: "bad" }; }',
  'async (input: Input) => (async function* () { yield { size: 1 }; })()',
  'export default (input: Input) => new ReadableStream<Yield>({ start(stream) { stream.enqueue({ mood: "good" }); } });',
];

const refusedGenerators: Refused = [
  ['export default async function* run(input: Input) { yield { size: "a" }; }', 1, 32, 'ts2322'],
  ['export default async function* run(input: Input) { yield { sise: 1 }; }', 1, 32, 'ts2322'],
  ['export default async function* run(input: Input) { yield 5; }', 1, 32, 'ts2322'],
  ['export default async function* run(input: Input) { yield { size: 1 }; return { size: 1 }; }', 1, 32, 'ts2322'],
  ['export default async function* run(input: Input): AsyncGenerator<Yield> { yield { sise: 1 }; }', 1, 83, 'ts2353'],
];

/** TypeScript: translated when it is saved, and checked against the schemas of the function. */
export function typescriptSuite({ runner, it, options }: ExecutorSuite): void {
  if (!options.capabilities?.includes('typescript')) return;
  runner.describe('TypeScript', () => {
    it('runs, including syntax that is not erasable', async (subject) => {
      const code =
        'enum Level { Low = 1, High }\nclass Box<T> { constructor(readonly value: T) {} }\n' +
        'namespace Words { export const hello: string = "hello"; }\n' +
        'export default async function run(input: { n?: number }): Promise<object> {\n' +
        '  const box = new Box<number>(input.n!);\n  return { level: Level.High, value: box.value satisfies number, word: Words.hello };\n}';
      assert.deepEqual(await subject.output(code, { input: { n: 4 } }), { level: 2, value: 4, word: 'hello' });
    });

    it('a stack points to the line and column that the author wrote', async (subject) => {
      const code =
        'interface In {\n  a: number;\n}\nenum E { A }\nfunction fail(what: string): never {\n  throw new Error(what);\n}\n' +
        'async (input: In) => {\n  const x: number = E.A; fail("no " + x);\n  return {};\n}';
      const error = failureOf(await subject.run(code), 'function_threw');
      assert.equal(error.message, 'no 0');
      assert.match(error.stack ?? '', /^at fail \(function\.ts:6:9\)\nat \S+ \(function\.ts:9:26\)$/u);
    });

    it('types that fit the schemas are accepted', async (subject) => {
      for (const code of accepted) {
        const artifact = await subject.prepare(code, schemas);
        assert.equal(typeof artifact, 'string', code);
      }
    });

    it('generators yield parts of the output, and return all of it or nothing', async (subject) => {
      if (!options.capabilities?.includes('generators')) return;
      for (const code of generators) await subject.prepare(code, schemas);
      await assertRefused(refusedGenerators, (code) => subject.faults(code, schemas));
      const numbers: Schema = {
        type: 'object',
        properties: { size: { type: 'integer' } },
        additionalProperties: false,
      };
      const strict = { inputSchema, outputSchema: numbers };
      await subject.prepare('function* run(input: Input) { yield { size: 1 }; }', strict);
      const [text] = await subject.faults('function* run(input: Input) { yield "text"; }', strict);
      assert.equal(text?.code, 'ts2322');
      const [fault] = await subject.faults('function* run(input: Input) { yield { size: 1, extra: 1 }; }', strict);
      assert.match(fault?.detail ?? '', /"extra"/u);
    });

    it('types that do not fit are refused, with their place', async (subject) => {
      await assertRefused(refused, (code) => subject.faults(code, schemas));
    });

    it('tools of mounted servers have the types that the host declares', async (subject) => {
      const declarations =
        'interface MountedTools { readonly docs: { mood(input: { text: string }, options?: CallOptions): Promise<"good"> } }';
      const calling = (call: string) =>
        `export default async (input: Input, { tools }: Context): Promise<Output> => ({ mood: await tools.${call} });`;
      await subject.prepare(calling('docs.mood(input)'), { ...schemas, declarations });
      for (const wrong of ['docs.mod(input)', 'doc.mood(input)', 'docs.mood({ text: 1 })']) {
        const [fault] = await subject.faults(calling(wrong), { ...schemas, declarations });
        assert.equal(fault?.line, 1, wrong);
      }
      // Nothing is known of them without declarations.
      await subject.prepare(calling('doc.mod({ text: 1 })'), schemas);
    });

    it('further properties are refused only where the schema refuses them', async (subject) => {
      const code = 'export default (input: Input) => ({ mood: "good", extra: 1 });';
      await subject.prepare(code, schemas);
      const strict: Schema = { ...outputSchema, additionalProperties: false };
      const [fault] = await subject.faults(code, { inputSchema, outputSchema: strict });
      assert.match(fault?.detail ?? '', /"extra"/u);
    });

    it('plain JavaScript is not checked', async (subject) => {
      const artifact = await subject.prepare('function run(input) { return { mood: input.txt }; }', schemas);
      assert.deepEqual(outputOf(await subject.execute(artifact)), {});
    });

    it('types without end are refused in time', async (subject) => {
      const code =
        'type Grow<T> = T extends unknown[] ? Grow<[...T, 1]> | Grow<[...T, 2]> : never;\nlet x: Grow<[]>;\n' +
        'export default (input: Input) => ({ mood: "good" });';
      await subject.faults(code, schemas);
      await subject.prepare(accepted[0] ?? '', schemas);
    });
  });
}
