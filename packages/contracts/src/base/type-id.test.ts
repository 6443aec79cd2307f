import { TypeID } from 'typeid-js';
import { describe, expect, it } from 'vitest';
import { base32, createUuidSource, newId, timeOfId } from './type-id.ts';

describe('newId', () => {
  it('an id is its prefix and 26 characters of Crockford base32', () => {
    expect(newId('function_call')).toMatch(/^function_call_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
  });

  it('an id holds a UUIDv7 of the current time', () => {
    const before = Date.now();
    const uuid = TypeID.fromString(newId('request')).toUUID();
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const milliseconds = Number.parseInt(uuid.replace('-', '').slice(0, 12), 16);
    expect(milliseconds).toBeGreaterThanOrEqual(before - 10_000);
    expect(milliseconds).toBeLessThanOrEqual(Date.now() + 10_000);
  });

  it('ids grow strictly within one millisecond', () => {
    const ids = Array.from({ length: 50_000 }, () => newId('x'));
    expect(ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? ''))).toBe(true);
  });

  // From the vectors of the TypeID specification, version 0.3.0.
  it.each([
    ['00000000000000000000000000', '00000000-0000-0000-0000-000000000000'],
    ['00000000000000000000000001', '00000000-0000-0000-0000-000000000001'],
    ['0000000000000000000000000a', '00000000-0000-0000-0000-00000000000a'],
    ['0000000000000000000000000g', '00000000-0000-0000-0000-000000000010'],
    ['00000000000000000000000010', '00000000-0000-0000-0000-000000000020'],
    ['7zzzzzzzzzzzzzzzzzzzzzzzzz', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
    ['0123456789abcdefghjkmnpqrs', '0110c853-1d09-52d8-d73e-1194e95b5f19'],
    ['01h455vb4pex5vsknk084sn02q', '01890a5d-ac96-774b-bcce-b302099a8057'],
  ])('encodes as the specification requires: %s', (suffix, uuid) => {
    const bytes = Buffer.from(uuid.replaceAll('-', ''), 'hex');
    expect(base32(bytes)).toBe(suffix);
    expect(Buffer.from(TypeID.fromString(`prefix_${suffix}`).toUUIDBytes())).toEqual(bytes);
  });

  it.each(['PREFIX', 'pre.fix', '12345', '_prefix', 'prefix_', 'x'.repeat(64)])('refuses the prefix %s', (prefix) => {
    expect(() => newId(prefix)).toThrow(/prefix/i);
  });
});

describe('timeOfId', () => {
  it('reads the milliseconds of the creation', () => {
    const before = Date.now();
    const time = timeOfId(newId('function_call')) ?? 0;
    expect(time).toBeGreaterThanOrEqual(before - 10_000);
    expect(time).toBeLessThanOrEqual(Date.now() + 10_000);
    // 01890a5d-ac96-774b-bcce-b302099a8057, whose first 48 bits are the time.
    expect(timeOfId('prefix_01h455vb4pex5vsknk084sn02q')).toBe(0x0189_0a5d_ac96);
  });

  it.each(['', 'call_', 'call_81h455vb4pex5vsknk084sn02q', 'call_01h455vb4pex5vsknk084sn02', 'resp_1'])(
    'returns no time for %s',
    (text) => {
      expect(timeOfId(text)).toBeUndefined();
    },
  );
});

const hex = (uuid: Uint8Array): string => Buffer.from(uuid).toString('hex');

describe('createUuidSource', () => {
  it('creates UUIDs of version 7 and of the RFC 9562 variant, with the time in front', () => {
    const next = createUuidSource(() => 0x0190_1234_5678);
    for (let count = 0; count < 1_000; count += 1) {
      expect(hex(next())).toMatch(/^0190123456787[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
    }
  });

  it('UUIDs grow while the clock stands still or goes back', () => {
    const times = [5_000, 5_000, 4_000, 1, 5_000, 5_001, 5_001];
    const next = createUuidSource(() => times.shift() ?? 5_001);
    const made = Array.from({ length: 2_000 }, () => hex(next()));
    expect(made).toEqual(made.toSorted());
    expect(new Set(made).size).toBe(made.length);
  });

  it('every bit of the random part varies', () => {
    const next = createUuidSource();
    let always = ~0n;
    let ever = 0n;
    for (let count = 0; count < 2_000; count += 1) {
      const bits = BigInt(`0x${hex(next())}`);
      always &= bits;
      ever |= bits;
    }
    const random = (1n << 43n) - 1n;
    expect(always & random).toBe(0n);
    expect(ever & random).toBe(random);
  });
});
