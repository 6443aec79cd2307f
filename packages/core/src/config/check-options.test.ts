import type { ConfigSchema } from '@patchbay/contracts/config-schema';
import { describe, expect, it } from 'vitest';
import { checkOptions } from './check-options.ts';
import { formatPath } from './config-path.ts';

const schema: ConfigSchema = {
  properties: {
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'integer', minimum: 1 },
    ratio: { type: 'number' },
    on: { type: 'boolean' },
    mode: { type: 'string', enum: ['fast', 'careful'] },
    token: { type: 'string', writeOnly: true, enum: ['abcdef'] },
    url: { type: 'string', format: 'uri' },
    limits: { type: 'object', default: {}, properties: { bytes: { type: 'integer', default: 5 } } },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    hosts: { type: 'array', items: { type: 'object', properties: { port: { type: 'integer' } }, required: ['port'] } },
    free: { type: 'object' },
  },
};

const linesOf = (options: object, interpolated: readonly string[] = []) =>
  checkOptions(schema, options, ['x'], { owner: 'acme', interpolated: new Set(interpolated) })
    .problems.map(({ path, message }) => `${formatPath(path)} ${message}`)
    .sort();

describe('checkOptions', () => {
  it('fills in defaults, in a copy', () => {
    const options = { port: 3 };
    const { value, problems } = checkOptions(schema, options, []);
    expect(problems).toEqual([]);
    expect(value).toEqual({ host: '127.0.0.1', port: 3, limits: { bytes: 5 } });
    expect(options).toEqual({ port: 3 });
  });

  it('leaves out members that are undefined', () => {
    const { value, problems } = checkOptions(schema, { port: undefined, limits: { bytes: undefined } }, []);
    expect(problems).toEqual([]);
    expect(value).toStrictEqual({ host: '127.0.0.1', limits: { bytes: 5 } });
  });

  it('class instances stay as they are', () => {
    const client = new URL('http://x.test');
    expect(checkOptions(schema, { free: client }, []).value).toMatchObject({ free: client });
  });

  it.each([Number.POSITIVE_INFINITY, Number.NaN])('%s, which YAML has as a number, is refused', (value) => {
    expect(linesOf({ port: value, ratio: value })).toEqual(['x.port must be an integer', 'x.ratio must be a number']);
  });

  it('says what a pattern means, if its schema does', () => {
    const patterns: ConfigSchema = {
      properties: {
        known: { type: 'string', pattern: '^https?://', $comment: 'must be an http or https URL' },
        unknown: { type: 'string', pattern: '^a$' },
        count: { type: ['integer', 'string'], pattern: '^auto$', $comment: 'must be auto or a number' },
        items: { type: 'array', items: { type: 'string', pattern: '^b$', $comment: 'must be b' } },
      },
    };
    const messages = (options: object) => checkOptions(patterns, options, []).problems.map(({ message }) => message);
    expect(messages({ known: 'x', unknown: 'b', count: 'two', items: ['b', 'c'] })).toEqual([
      'must be an http or https URL',
      'must match pattern "^a$"',
      'must be auto or a number',
      'must be b',
    ]);
    expect(messages({ count: '2' })).toEqual(['must be auto or a number: write it without quotes']);
    expect(messages({ known: 'http://x', unknown: 'a', count: 2, items: ['b'] })).toEqual([]);
  });

  it('reports everything at once', () => {
    const options = {
      prot: 1,
      port: '8080',
      ratio: 'x',
      on: 'true',
      mode: 'fats',
      url: 'nope',
      limits: { byte: 1 },
      headers: { a: 1 },
      hosts: [{ port: 1 }, {}],
      host: null,
    };
    expect(linesOf(options)).toEqual([
      'x.headers.a must be a string: put it in quotes',
      'x.host must be a string, but is empty',
      'x.hosts[1].port is required by acme',
      'x.limits.byte is not an option of acme; did you mean "bytes"?',
      'x.mode must be one of "fast", "careful"; did you mean "fast"?',
      'x.on must be a boolean: write it without quotes',
      'x.port must be an integer: write it without quotes',
      'x.prot is not an option of acme; did you mean "port"?',
      'x.ratio must be a number',
      'x.url must be in the format "uri"',
    ]);
  });

  it('the message for a secret names no similar value', () => {
    expect(linesOf({ token: 'abcdeg' })).toEqual(['x.token must be one of "abcdef"']);
  });

  it('converts interpolated strings, and no others, to the types of the schema', () => {
    const options = { port: '8080', ratio: '1.5e-3', on: 'false', hosts: [{ port: '7' }], host: '12' };
    const filled = ['/x/port', '/x/ratio', '/x/on', '/x/hosts/0/port', '/x/host'];
    const { value, problems } = checkOptions(schema, options, ['x'], { interpolated: new Set(filled) });
    expect(problems).toEqual([]);
    expect(value).toMatchObject({ port: 8080, ratio: 0.0015, on: false, hosts: [{ port: 7 }], host: '12' });
  });

  it('leaves a string that cannot be converted for the check to refuse', () => {
    expect(linesOf({ port: '80 80', on: '1', ratio: '' }, ['/x/port', '/x/on', '/x/ratio'])).toEqual([
      'x.on must be a boolean',
      'x.port must be an integer',
      'x.ratio must be a number',
    ]);
  });

  it('names that every object has are not options', () => {
    expect(linesOf({ toString: 1, ['__proto__']: 2 })).toHaveLength(2);
  });
});
