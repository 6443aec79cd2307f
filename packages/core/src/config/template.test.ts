// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is what is tested
import { describe, expect, it } from 'vitest';
import { parseTemplate } from './template.ts';

describe('parseTemplate', () => {
  it.each([
    ['plain', ['plain']],
    ['$5 and {x}', ['$5 and {x}']],
    ['${PORT}', [{ kind: 'env', name: 'PORT' }]],
    ['${_a1:-8080}', [{ kind: 'env', name: '_a1', fallback: '8080' }]],
    ['${PORT:-}', [{ kind: 'env', name: 'PORT', fallback: '' }]],
    ['${URL:-http://x/?a=b:-c}', [{ kind: 'env', name: 'URL', fallback: 'http://x/?a=b:-c' }]],
    ['${file:/run/a b}', [{ kind: 'file', name: '/run/a b' }]],
    ['${file:-x}', [{ kind: 'env', name: 'file', fallback: 'x' }]],
    ['${secret:openai/key}', [{ kind: 'secret', name: 'openai/key' }]],
    ['a${A}b${B}c', ['a', { kind: 'env', name: 'A' }, 'b', { kind: 'env', name: 'B' }, 'c']],
    ['$${A}', ['${', 'A}']],
    ['x$${A}${B}', ['x${', 'A}', { kind: 'env', name: 'B' }]],
  ])('takes %s apart', (text, pieces) => {
    expect(parseTemplate(text)).toEqual(pieces);
  });

  it.each(['${A', '${', 'x ${A $${B'])('refuses %s, which does not end', (text) => {
    expect(parseTemplate(text)).toEqual({ fault: expect.stringContaining('without its "}"') });
  });

  it.each(['${}', '${ A }', '${a-b}', '${1A}', '${A:x}', '${file:}', '${vault:x}'])('refuses %s', (text) => {
    expect(parseTemplate(text)).toEqual({ fault: expect.stringContaining('none of ${NAME}') });
  });

  it('says what was meant', () => {
    expect(parseTemplate('${secert:x}')).toEqual({ fault: expect.stringContaining('did you mean "secret"?') });
  });
});
