import { describe, expect, it } from 'vitest';
import { withoutFolders } from './without-folders.ts';

describe('a module without folders', () => {
  it.each([
    ['"../../home/ann/node_modules/a/node_modules/old/index.js"(', 'node_modules/old/index.js"('],
    ['"../secret/index.js"(', 'index.js"('],
    [`'../secret "quoted"/index.js'(`, "index.js'("],
    ['`../geheim ü/index.js`(', 'index.js`('],
  ])('has %s by its end, in the same length', (name, shown) => {
    const module = `var x=wrap({${name}exports){exports.y=1}});`;
    const text = withoutFolders(module, [name.slice(1, -2)]);
    expect(text).toBe(`var x=wrap({${name[0]}${shown.padStart(name.length - 1, '.')}exports){exports.y=1}});`);
  });

  it('keeps the same text elsewhere', () => {
    const module = 'const x="../secret/index.js",y=["../secret/index.js"];';
    expect(withoutFolders(module, ['../secret/index.js'])).toBe(module);
  });
});
