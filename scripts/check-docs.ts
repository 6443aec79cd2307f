// Everything shown in the docs works: `ts` blocks and the examples of doc comments compile under our own flags, `json`
// blocks parse, and `yaml` blocks that are whole config files load.
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '@patchbay/core';
import { serverConfigSchema, workerConfigSchema } from '@patchbay/server';
import { type CodeBlock, codeBlocks } from './code-blocks.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
// Within the workspace, so that the packages resolve; within node_modules, so that nothing else looks at it.
const folder = join(root, 'node_modules', '.docs-check');

const patterns = ['*.md', 'docs/**/*.md', '{packages,plugins,examples}/*/*.md', '{packages,plugins}/*/src/**/*.ts'];
const files = globSync(patterns, {
  cwd: root,
  exclude: (name) => name.includes('node_modules') || name.endsWith('.test.ts'),
});
const blocks = files.flatMap((file) => codeBlocks(file, readFileSync(join(root, file), 'utf8')));
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
  const names = [...code.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => [name as string, 'x'.repeat(40)]);
  try {
    const sections = { server: serverConfigSchema, worker: workerConfigSchema };
    await loadConfig({ file, env: Object.fromEntries(mark === 'wrong' ? [] : names), sections });
    if (mark === 'wrong') failures.push(`${place}: is said to be wrong, and is not`);
  } catch (error) {
    if (mark === 'wrong') return;
    failures.push(`${place}: ${(error as Error).message}`);
  }
}

const ofLanguage = (language: string): CodeBlock[] => blocks.filter((block) => block.language === language);
checkTypes(ofLanguage('ts'));
for (const block of ofLanguage('json')) checkJson(block);
for (const block of ofLanguage('yaml')) if (/^patchbay: 1$/m.test(block.code)) await checkConfig(block);

if (failures.length > 0) {
  console.error(failures.join('\n'));
  process.exit(1);
}
console.log(`docs: ${blocks.length} code blocks in ${files.length} files are fine`);
