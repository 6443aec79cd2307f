import assert from 'node:assert/strict';
import { type ExecutorSuite, outputOf } from './executor-under-test.ts';

const forms: Readonly<Record<string, string>> = {
  'the named declaration of the specification':
    'async function summarizeText({ text, maxPoints = 5 }) {\n  return { text, maxPoints };\n}',
  'export default function': 'export default function ({ text, maxPoints = 5 }) { return { text, maxPoints }; }',
  'export default async arrow': 'export default async ({ text, maxPoints = 5 }) => ({ text, maxPoints });',
  'export default of a name':
    'const run = ({ text, maxPoints = 5 }) => ({ text, maxPoints });\nfunction other() {}\nexport default run;',
  'export as default':
    'function run({ text, maxPoints = 5 }) { return { text, maxPoints }; }\nexport { run as default };',
  'exported main':
    'export async function main({ text, maxPoints = 5 }) { return { text, maxPoints }; }\nfunction last() {}',
  'exported handler': 'export const handler = ({ text, maxPoints = 5 }) => ({ text, maxPoints });\nfunction last() {}',
  'main that is not exported':
    'function main({ text, maxPoints = 5 }) { return { text, maxPoints }; }\nfunction last() {}',
  'the only exported function':
    'export const size = 3;\nexport function run({ text, maxPoints = 5 }) { return { text, maxPoints }; }\nfunction last() {}',
  'the last function':
    'function helper(x) { return x; }\nasync function run({ text, maxPoints = 5 }) { return helper({ text, maxPoints }); }',
  'a function that uses what comes after it':
    'function run({ text, maxPoints = standard() }) { return { text, maxPoints }; }\nconst standard = () => 5;\nexport { run as main };',
  'a bound arrow': 'const summarize = async ({ text, maxPoints = 5 }) => {\n  return { text, maxPoints };\n};',
  'an arrow alone': 'async ({ text, maxPoints = 5 }) => ({ text, maxPoints })',
  'a function expression alone':
    '// says what it does\n(function ({ text, maxPoints = 5 }) { return { text, maxPoints }; });',
  'an arrow after its helpers':
    'const standard = 5;\nfunction helper(x) { return x; }\n  async ({ text, maxPoints = standard }) => helper({ text, maxPoints });',
  'an anonymous function alone': 'async function ({ text, maxPoints = 5 }) { return { text, maxPoints }; }',
  'Windows line ends and a strict directive':
    '"use strict";\r\nfunction run({ text, maxPoints = 5 }) {\r\n  return { text, maxPoints };\r\n}\r\n',
};

/** The ways in which a function may be written, and what is refused when it is saved. */
export function formsSuite({ runner, it }: ExecutorSuite): void {
  runner.describe('forms of code', () => {
    it('every form runs', async (subject) => {
      for (const [name, code] of Object.entries(forms)) {
        assert.deepEqual(await subject.output(code, { input: { text: 'x' } }), { text: 'x', maxPoints: 5 }, name);
      }
    });

    it('the module of a bundle runs in place of the code', async (subject) => {
      const code = 'import { double } from "twice";\nexport default ({ n }) => ({ n: double(n) });';
      const module = 'const double = (n) => 2 * n;\nexport default ({ n }) => ({ n: double(n) });\n';
      const packages = [{ name: 'twice', version: '1.0.0', integrity: 'sha512-AAAA' }];
      const artifact = await subject.prepare(code, { bundle: { module, mappings: '', source: 0, packages } });
      assert.deepEqual(outputOf(await subject.execute(artifact, { input: { n: 4 } })), { n: 8 });
    });

    it('a syntax error has its place', async (subject) => {
      const places: readonly (readonly [string, number, number])[] = [
        ['function run() {\n  let x = ;\n}', 2, 11],
        ['const é = "😀"; let x = ;', 1, 25],
        ['function run() {\r\n\r\n  return 1 +;\r\n}', 3, 13],
        ['// \u2028let x = ;', 2, 9],
      ];
      for (const [code, line, column] of places) {
        const [fault] = await subject.faults(code);
        assert.equal(fault?.code, 'syntax');
        assert.deepEqual([fault.line, fault.column], [line, column], code);
      }
    });

    it('code that is not a module is rejected when it is saved', async (subject) => {
      for (const code of [
        'function run() {',
        'function run() { return /(/; }',
        'let a; let a; function run() {}',
        'with (Math) { abs(1) } function run() {}',
        'function run() { await 1; }',
        'export default () => ({}); export default () => ({});',
        '\0',
        '}',
      ]) {
        const [fault] = await subject.faults(code);
        assert.equal(fault?.code, 'syntax', code);
        assert.equal(typeof fault.line, 'number');
      }
    });

    it('imports are refused', async (subject) => {
      const places: readonly (readonly [string, number, number])[] = [
        ['import fs from "node:fs";\nexport default () => ({});', 1, 1],
        ['import text from "file:///etc/hosts" with { type: "text" };\nexport default () => ({ text });', 1, 1],
        ['export default () => ({});\nexport * from "node:fs";', 2, 1],
        ['export default () => ({});\nexport { x } from "data:text/javascript,";', 2, 1],
        ['const fs = await import("node:fs");\nexport default () => ({});', 1, 18],
        ['export default async (input) =>\n  import(input.name);', 2, 3],
      ];
      for (const [code, line, column] of places) {
        const [fault] = await subject.faults(code);
        assert.equal(fault?.code, 'import_not_allowed', code);
        assert.deepEqual([fault.line, fault.column], [line, column], code);
      }
    });

    it('code without a function is refused', async (subject) => {
      for (const code of [
        '',
        ' \n\t',
        '// nothing',
        'const x = 1;',
        '1 + 1',
        '({ run() {} })',
        'export default { run() {} };',
        'export default class {}',
        'class Run {}',
        'export default 1;',
      ]) {
        const [fault] = await subject.faults(code);
        assert.equal(fault?.code, 'no_function', code);
      }
    });

    it('a default export that turns out not to be a function fails to load', async (subject) => {
      const outcome = await subject.run('const make = () => 1;\nexport default make();');
      assert.equal(outcome.status === 'failed' && outcome.error.reason, 'load_failed');
    });

    it('code of 256 KiB is taken, and not a byte more', async (subject) => {
      const head = 'function run() { return {}; } //';
      const fill = (bytes: number): string => head + 'é'.repeat((bytes - head.length) / 2);
      assert.deepEqual(await subject.output(fill(262_144)), {});
      const [fault] = await subject.faults(`${fill(262_144)}x`);
      assert.equal(fault?.code, 'too_large');
    });

    it('code that nests without end does no harm', async (subject) => {
      const n = 100_000;
      for (const code of [
        '('.repeat(n),
        `${'['.repeat(n)}${']'.repeat(n)}`,
        `${'!'.repeat(n)}1`,
        `x = ${'{ a: '.repeat(n / 4)}1${'}'.repeat(n / 4)}`,
        `${'a => '.repeat(n / 2)}1`,
        `${'{'.repeat(n)}${'}'.repeat(n)}`,
        `${'1 + '.repeat(n / 2)}1`,
        `a${'.b'.repeat(n)}`,
        `type A = ${'['.repeat(n)}${']'.repeat(n)}`,
        `let x = y${' as any'.repeat(n / 4)}`,
      ]) {
        await subject.faults(code);
      }
      assert.deepEqual(await subject.output('() => ({ alive: true })'), { alive: true });
    });
  });
}
