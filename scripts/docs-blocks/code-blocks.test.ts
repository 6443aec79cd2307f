import { describe, expect, it } from 'vitest';
import { codeBlocks } from './code-blocks.ts';

describe('codeBlocks', () => {
  it('finds blocks in Markdown with their language and place', () => {
    const text = '# A\n\n```ts\nconst a = 1;\n```\ntext\n```sh slow\nls\n```\n';
    expect(codeBlocks('a.md', text)).toEqual([
      { language: 'ts', mark: '', code: 'const a = 1;', place: 'a.md:4' },
      { language: 'sh', mark: 'slow', code: 'ls', place: 'a.md:8' },
    ]);
  });

  it('finds examples in doc comments, without the stars', () => {
    const text = '/**\n * @example\n * ```ts\n * if (a) {\n *   b();\n * }\n * ```\n */\n';
    expect(codeBlocks('a.ts', text)).toEqual([
      { language: 'ts', mark: '', code: 'if (a) {\n  b();\n}', place: 'a.ts:4' },
    ]);
  });
});
