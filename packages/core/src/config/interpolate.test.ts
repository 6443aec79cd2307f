// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is what is tested
import { describe, expect, it } from 'vitest';
import { configFolder } from './fixtures/config-folder.ts';
import { createLookup, interpolate, parseTemplate } from './interpolate.ts';

const lookupIn = (directory: string, env = {}) =>
  createLookup({ env, directory, secrets: { resolve: async (name) => `secret of ${name}` } });

describe('interpolate', () => {
  it('strings are interpolated, and keys and other values stay as they are', async () => {
    const config = { '${A}': ['${A}', 1, true, null, { deep: 'x${A}y' }], plain: 'z' };
    const { value, references, problems } = await interpolate(config, lookupIn('/', { A: 'a' }));
    expect(value).toEqual({ '${A}': ['a', 1, true, null, { deep: 'xay' }], plain: 'z' });
    expect([...references.keys()].sort()).toEqual(['/${A}/0', '/${A}/4/deep']);
    expect(problems).toEqual([]);
  });

  it('interpolated values are not interpolated again', async () => {
    const { value } = await interpolate({ a: '${A}' }, lookupIn('/', { A: '${B} $${C}' }));
    expect(value).toEqual({ a: '${B} $${C}' });
  });

  it('a default replaces an unset or empty variable', async () => {
    const config = ['${A:-d}', '${B:-d}', '${C:-}', '${B}', '$${A}'];
    const { value } = await interpolate(config, lookupIn('/', { B: '' }));
    expect(value).toEqual(['d', 'd', '', '', '${A}']);
  });

  it('reads files beside the config, without their last newline', async () => {
    using folder = configFolder({ 'key.txt': 'k1\n\n', 'sub/windows.txt': 'k2\r\n', 'none.txt': 'k3' });
    const config = ['${file:key.txt}', '${file:./sub/windows.txt}', `\${file:${folder.path}/none.txt}`, '${secret:s}'];
    const { value } = await interpolate(config, lookupIn(folder.path));
    expect(value).toEqual(['k1\n', 'k2', 'k3', 'secret of s']);
  });

  it('reports everything that is missing, with its path and without a value', async () => {
    using folder = configFolder();
    folder.write('folder/x', '');
    const config = { a: '${A}${B}', list: ['${file:nope}', '${file:folder}', '${'] };
    const { problems } = await interpolate(config, lookupIn(folder.path, { A: 'value' }), ['top']);
    expect(problems.map(({ path, message }) => [path.join('.'), message])).toEqual(
      expect.arrayContaining([
        ['top.a', 'needs the environment variable B, which is not set'],
        ['top.list.0', 'needs the file nope, which does not exist'],
        ['top.list.1', 'needs the file folder, which cannot be read: EISDIR'],
        ['top.list.2', expect.stringContaining('without its "}"')],
      ]),
    );
    expect(problems).toHaveLength(4);
  });

  it('an error of a plugin for secrets is hidden unless it is a PatchbayError', async () => {
    const failing = createLookup({
      env: {},
      directory: '/',
      secrets: { resolve: () => Promise.reject(new Error('token s3cr3t refused')) },
    });
    const { problems } = await interpolate(['${secret:x}'], failing);
    expect(problems[0]?.message).toBe('needs the secret x: the plugin for secrets failed');
  });
});

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
  ])('%s is parsed into its pieces', (text, pieces) => {
    expect(parseTemplate(text)).toEqual(pieces);
  });

  it.each(['${A', '${', 'x ${A $${B'])('refuses %s, which is never closed', (text) => {
    expect(parseTemplate(text)).toEqual({ fault: expect.stringContaining('without its "}"') });
  });

  it.each(['${}', '${ A }', '${a-b}', '${1A}', '${A:x}', '${file:}', '${vault:x}'])('refuses %s', (text) => {
    expect(parseTemplate(text)).toEqual({ fault: expect.stringContaining('none of ${NAME}') });
  });

  it('a misspelt kind of reference is reported with the nearest one', () => {
    expect(parseTemplate('${secert:x}')).toEqual({ fault: expect.stringContaining('did you mean "secret"?') });
  });
});
