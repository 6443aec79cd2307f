import { tenantId } from '@patchbay/contracts/tenant';
import { describe, expect, it } from 'vitest';
import { createCursorCodec } from './cursor.ts';

const codec = createCursorCodec({ derive: (purpose) => Buffer.from(purpose.padEnd(32)) });
const tenant = tenantId('a');
const position = { value: '2026-01-01T00:00:00.000Z', id: 'function_1' };

describe('cursor codec', () => {
  it('a cursor decodes to the position it was made from', () => {
    expect(codec.decode(tenant, 'list', codec.encode(tenant, 'list', position))).toEqual(position);
  });

  it('a position has one cursor in each list, and tenants have different ones', () => {
    const cursors = [tenant, tenant, tenantId('b')].flatMap((of) =>
      ['list', 'other'].map((list) => codec.encode(of, list, position)),
    );
    expect(cursors.slice(2, 4)).toEqual(cursors.slice(0, 2));
    expect(new Set(cursors).size).toBe(4);
  });

  it.each([
    ['another tenant', tenantId('b'), 'list'],
    ['another list', tenant, 'other'],
  ])('refuses a cursor of %s', (_, otherTenant, list) => {
    const cursor = codec.encode(tenant, 'list', position);
    expect(() => codec.decode(otherTenant, list, cursor)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it.each(['', '.', 'x', 'x.y', '..', 'a.b.c', '\u0000'])('refuses %j', (cursor) => {
    expect(() => codec.decode(tenant, 'list', cursor)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it('refuses every changed character', () => {
    const cursor = codec.encode(tenant, 'list', position);
    const payloadEnd = cursor.indexOf('.');
    for (let index = 0; index < payloadEnd; index += 1) {
      const changed = cursor.slice(0, index) + (cursor[index] === 'A' ? 'B' : 'A') + cursor.slice(index + 1);
      expect(() => codec.decode(tenant, 'list', changed)).toThrow('the cursor cannot be used');
    }
  });
});
