import { describe, expect, it } from 'vitest';
import { refuseMembers } from './assert-supported.ts';

describe('refuseMembers', () => {
  const refused = expect.objectContaining({
    code: 'unsupported_parameter',
    errors: [expect.objectContaining({ pointer: '/models' })],
  });
  const check = (request: object | string) =>
    refuseMembers('acme', typeof request === 'string' ? Buffer.from(request) : { ...request }, ['route', 'models']);

  it.each([{ models: ['a'] }, '{"models":["a"]}', '{"mod\\u0065ls":["a"]}'])('throws for %j', (request) => {
    expect(() => check(request)).toThrow(refused);
  });

  it.each([
    { model: 'a', models: null },
    '{"messages":"models"}',
    '{"models":null}',
    '{"metadata":{"models":1}}',
    '{"a":"\\u00e9"}',
    '{"text":"not read, so that it need be no JSON',
  ])('accepts %j', (request) => {
    expect(() => check(request)).not.toThrow();
  });

  it('reads the part of a buffer that is the body', () => {
    const all = Buffer.from('{"models":1}{"model":"m"}');
    expect(() => refuseMembers('acme', all.subarray(12), ['models'])).not.toThrow();
  });
});
