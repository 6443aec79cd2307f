import { describe, expect, it } from 'vitest';
import { resolveSchema } from './resolve-schema.ts';

const resolve = (schema: object) => resolveSchema(schema as Readonly<Record<string, unknown>>, '/input');
const faults = (schema: object) => resolve(schema).faults.map(({ pointer, code }) => `${pointer} ${code}`);
const day = { type: 'string', format: 'date' };

describe('resolveSchema', () => {
  it('a reference is replaced by its target, merged with its siblings', () => {
    const properties = {
      pointer: { $ref: '#/$defs/day', description: 'When', default: '2026-01-01' },
      old: { $ref: '#/definitions/day' },
      anchor: { $ref: '#moment' },
      id: { $ref: 'Day' },
      escaped: { $ref: '#/$defs/a~1b%20c' },
      both: { $ref: '#/$defs/day', maxLength: 10 },
    };
    const $defs = { day, moment: { ...day, $anchor: 'moment' }, byId: { ...day, $id: 'Day' }, 'a/b c': day };
    const { schema, faults: none } = resolve({ type: 'object', properties, $defs, definitions: { day } });
    expect(none).toEqual([]);
    expect(schema).toEqual({
      type: 'object',
      properties: {
        pointer: { ...day, description: 'When', default: '2026-01-01' },
        old: day,
        anchor: day,
        id: day,
        escaped: day,
        both: { maxLength: 10, allOf: [day] },
      },
    });
  });

  it('a recursive schema keeps a definition', () => {
    const node = { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/$defs/Node' } } } };
    const { schema } = resolve({ $ref: '#/$defs/Node', description: 'A tree', $defs: { Node: node, unused: day } });
    expect(schema).toEqual({ ...node, description: 'A tree', $defs: { Node: node } });
    const own = { type: 'object', title: 'Person', properties: { friend: { $ref: '#' } } };
    const person = { ...own, properties: { friend: { $ref: '#/$defs/Person' } } };
    expect(resolve(own).schema).toEqual({ ...person, $defs: { Person: person } });
  });

  it('definitions that refer to one another each keep their name', () => {
    const a = { type: 'object', properties: { b: { $ref: '#/$defs/b' } } };
    const b = { type: 'object', properties: { a: { $ref: '#/$defs/a' } } };
    expect(Object.keys(resolve({ $ref: '#/$defs/a', $defs: { a, b } }).schema.$defs ?? {}).sort()).toEqual(['a', 'b']);
  });

  it.each([
    [{ properties: { a: { $ref: '#/$defs/none' } } }, '/input/properties/a/$ref reference_unknown'],
    [{ properties: { a: { $ref: '#/type' } } }, '/input/properties/a/$ref reference_unknown'],
    [{ properties: { a: { $ref: '#/%' } } }, '/input/properties/a/$ref reference_unknown'],
    [{ allOf: [{ $ref: '#' }] }, '/input/allOf/0/$ref reference_endless'],
    [{ $ref: '#' }, '/input/$ref reference_endless'],
  ])('refuses %j', (schema, fault) => {
    expect(faults({ type: 'object', ...schema })).toEqual([fault]);
  });

  it('references that multiply are refused before they exhaust the memory', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => {
        const next = { $ref: `#/$defs/d${index + 1}` };
        return [`d${index}`, { type: 'object', properties: { a: next, b: next } }];
      }),
    );
    const schema = { $ref: '#/$defs/d0', $defs: { ...$defs, d40: { type: 'string' } } };
    expect(faults(schema)).toEqual(['/input too_many_nodes']);
  });

  it.each([
    [{ $ref: '#/$defs/o', $defs: { o: { type: 'object' } } }, true],
    [{ allOf: [{ type: 'object' }, { required: ['a'] }] }, true],
    [{ anyOf: [{ type: 'object' }, { type: ['object'] }] }, true],
    [{ anyOf: [{ type: 'object' }, { type: 'string' }] }, false],
    [{ type: ['object', 'null'] }, false],
    [{ type: 'string', allOf: [{ type: 'object' }] }, false],
    [{}, false],
  ])('the root %j is an object: %s', (schema, isObject) => {
    expect(faults(schema)).toEqual(isObject ? [] : ['/input/type root_type']);
  });

  it('older keywords become those of draft 2020-12', () => {
    const pair = { type: 'array', items: [{ type: 'string' }, true], additionalItems: false };
    expect(resolve({ type: 'object', properties: { pair, never: false } }).schema.properties).toEqual({
      pair: { type: 'array', prefixItems: [{ type: 'string' }, {}], items: false },
      never: { not: {} },
    });
  });

  it('look-ahead at the beginning of a pattern becomes conditions beside it', () => {
    const pattern = '^(?!-)(?=.{1,5}$)[a-z|(-]+(?:x|y)$';
    expect(resolve({ type: 'object', properties: { a: { pattern } } }).schema.properties).toEqual({
      a: {
        pattern: '^[a-z|(-]+(?:x|y)$',
        allOf: [{ pattern: '^(?:.{1,5}$)' }, { not: { type: 'string', pattern: '^(?:-)' } }],
      },
    });
    // The second alternative is not anchored to the beginning, so no condition can stand beside it.
    expect(resolve({ type: 'object', properties: { a: { pattern: '^(?!-)a|b' } } }).schema.properties).toEqual({
      a: {},
    });
  });

  it('defaults are not filled in if an alternative refers to a recursive schema', () => {
    const $defs = { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, n: { default: 1 } } } };
    const plain = resolve({ type: 'object', properties: { a: { $ref: '#/$defs/node' } }, $defs });
    expect(JSON.stringify(plain.schema)).toContain('"default"');
    const chosen = resolve({ type: 'object', properties: { a: { anyOf: [{ $ref: '#/$defs/node' }] } }, $defs });
    expect(JSON.stringify(chosen.schema)).not.toContain('"default"');
  });
});
