// Everything shown in the docs works: `ts` blocks and the examples of doc comments compile under our own flags, functions can
// be stored, `json` blocks parse, `yaml` blocks load as a config where they are one, and `sh` blocks parse. What is checked by
// no more than that is counted and named. The prose of pages and public doc comments is free of stilted phrases.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '@patchbay/core';
import { serverConfigSchema, workerConfigSchema } from '@patchbay/server';
import { parseDocument } from 'yaml';
import { appConfigSchema } from '../packages/core/src/config/app-config.ts';
import { checkFunctions } from './docs-blocks/check-functions.ts';
import type { CodeBlock } from './docs-blocks/code-blocks.ts';
import { documentedBlocks } from './docs-blocks/documented-blocks.ts';
import { reasonNotToRun } from './docs-blocks/shell-blocks.ts';
import { stiltedPages } from './docs-prose/stilted-phrases.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
// Within the workspace, so that the packages resolve; within node_modules, so that nothing else looks at it.
const folder = join(root, 'node_modules', '.docs-check');

const blocks = documentedBlocks();
const failures: string[] = [];

function checkTypes(examples: readonly CodeBlock[]): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [index, { code }] of examples.entries())
    writeFileSync(join(folder, `block-${index}.ts`), `${code}\nexport {};\n`);
  const base = { extends: '../../tsconfig.base.json', include: ['*.ts'] };
  const loose = {
    composite: false,
    noEmit: true,
    // Functions of any name are called as readers call them; no project has this flag unless it asks for it.
    noPropertyAccessFromIndexSignature: false,
    noUnusedLocals: false,
    declaration: false,
    declarationMap: false,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...base, compilerOptions: loose }));
  try {
    execFileSync('tsc', ['-p', folder], { encoding: 'utf8', cwd: folder });
  } catch (error) {
    const { stdout = String(error) } = error as { stdout?: string };
    failures.push(stdout.replaceAll(/block-(\d+)\.ts/g, (_, index) => examples[Number(index)]?.place ?? ''));
  }
}

function checkJson({ code, place }: CodeBlock): void {
  try {
    JSON.parse(code);
  } catch (error) {
    failures.push(`${place}: ${(error as Error).message}`);
  }
}

async function checkConfig({ code, mark, place }: CodeBlock): Promise<void> {
  const file = join(folder, 'patchbay.config.yaml');
  writeFileSync(file, code);
  const names = [...code.matchAll(/\$\{(?:secret:)?(\w+)\}/g)].map(([, name = '']) => {
    return [name, name.endsWith('_URL') ? 'postgresql://127.0.0.1/patchbay' : 'x'.repeat(40)];
  });
  try {
    const sections = { server: serverConfigSchema, worker: workerConfigSchema };
    await loadConfig({ file, env: Object.fromEntries(mark === 'wrong' ? [] : names), sections });
    if (mark === 'wrong') failures.push(`${place}: is said to be wrong, and is not`);
  } catch (error) {
    if (mark === 'wrong') return;
    failures.push(`${place}: ${(error as Error).message}`);
  }
}

/** Whether a block can be read at all, by a command that only reads. */
function checkSyntax(command: string, given: readonly string[], { code, place }: CodeBlock): void {
  const { status, stderr } = spawnSync(command, given, { input: code, encoding: 'utf8' });
  if (status !== 0) failures.push(`${place}: ${stderr.trim()}`);
}

function checkScript({ code, place }: CodeBlock): void {
  try {
    stripTypeScriptTypes(code);
  } catch (error) {
    failures.push(`${place}: ${(error as Error).message}`);
  }
}

function checkYaml({ code, place }: CodeBlock): void {
  const { errors } = parseDocument(code);
  for (const { message } of errors) failures.push(`${place}: ${message}`);
}

const ofLanguage = (language: string): CodeBlock[] => blocks.filter((block) => block.language === language);
const isConfig = ({ code }: CodeBlock): boolean => /^patchbay: 1$/m.test(code);
/** A part of a config file: every name at the top is one of the format, and plugins come with the server. */
const isPart = ({ code }: CodeBlock): boolean => {
  const names = [...code.matchAll(/^(\w+):/gm)].map(([, name]) => name ?? '');
  const uses = [...code.matchAll(/use: "?([^"\s,}]+)/g)].map(([, name]) => name ?? '');
  const known = new Set(Object.keys(appConfigSchema.properties));
  return (
    names.length > 0 && names.every((name) => known.has(name)) && uses.every((use) => use.startsWith('@patchbay/'))
  );
};

const [configs, others] = split(ofLanguage('yaml'), isConfig);
const [parts, plain] = split(others, isPart);
// Code with imports is not a function by itself.
const code = [...ofLanguage('js'), ...ofLanguage('typescript')].map((block) =>
  block.mark === 'program' ? { ...block, code: `async (_, { functions, log }) => {\n${block.code}\n}` } : block,
);
const [scripts, functions] = split(code, (block) => /^import /m.test(block.code));
const [run, unrun] = split(ofLanguage('sh'), (block) => reasonNotToRun(block) === undefined);

checkTypes(ofLanguage('ts'));
for (const block of ofLanguage('json')) checkJson(block);
for (const block of configs) await checkConfig(block);
for (const block of parts) await checkConfig({ ...block, code: `patchbay: 1\n${block.code}` });
for (const block of plain) checkYaml(block);
for (const block of [...run, ...unrun]) checkSyntax('bash', ['-n'], block);
for (const block of scripts) checkScript(block);
failures.push(...(await checkFunctions(functions)));
failures.push(...stiltedPages());

if (failures.length > 0) {
  console.error(failures.join('\n'));
  process.exit(1);
}
const sum = [
  [ofLanguage('ts').length, 'ts: compiled under our own flags'],
  [functions.length, 'js, typescript: stored as functions by an app with the executor'],
  [scripts.length, 'js, typescript: parsed only, for what they import is not here'],
  [ofLanguage('json').length, 'json: parsed'],
  [configs.length + parts.length, 'yaml: loaded as a config, or as a part of one'],
  [plain.length, 'yaml: parsed only'],
  [run.length, 'sh: parsed, and run by scripts/docs-blocks/shell-blocks.test.ts'],
  [unrun.length, 'sh: parsed only'],
] as const;
const checked = sum.reduce((total, [count]) => total + count, 0);
const rest = blocks.length - checked;
for (const [count, how] of [...sum, [rest, 'others (output, text, other languages): not checked']] as const) {
  console.log(`${String(count).padStart(5)}  ${how}`);
}
for (const block of unrun) console.log(`       not run: ${block.place}, ${reasonNotToRun(block)}`);
console.log(`docs: ${blocks.length} code blocks, ${checked} checked, nothing wrong`);

function split<T>(all: readonly T[], belongs: (each: T) => boolean): readonly [T[], T[]] {
  return [all.filter(belongs), all.filter((each) => !belongs(each))];
}
