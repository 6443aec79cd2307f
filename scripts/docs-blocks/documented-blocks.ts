import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CodeBlock, codeBlocks } from './code-blocks.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const patterns = [
  '*.md',
  'docs/**/*.md',
  '{bench,deploy}/**/*.md',
  '{packages,plugins,examples}/*/*.md',
  '{packages,plugins}/*/src/**/*.ts',
];

/** Every code block of the documentation, and of the doc comments of the sources. */
export function documentedBlocks(): readonly CodeBlock[] {
  const files = globSync(patterns, {
    cwd: root,
    exclude: (name) => name.includes('node_modules') || name.endsWith('.test.ts'),
  });
  return files.flatMap((file) => codeBlocks(file, readFileSync(join(root, file), 'utf8')));
}
