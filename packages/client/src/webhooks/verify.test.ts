import { describe, expect, expectTypeOf, it } from 'vitest';
import { sign, verify, type WebhookEvent, type WebhookEventOf, WebhookVerificationError } from './index.ts';

const now = Date.parse('2026-11-21T12:00:00Z');
const secret = `whsec_${btoa('a'.repeat(32))}`;
const other = `whsec_${btoa('b'.repeat(32))}`;
const data = { functionId: 'function_1', name: 'grüße 👋', version: 1 };
const body = JSON.stringify({ type: 'function.created', timestamp: '2026-11-21T11:59:59.000Z', data });
const options = { now: () => now };
const signed = (given = body, at = now) => sign({ id: 'event_1', timestamp: at, body: given }, secret);
const codeOf = (verifying: Promise<unknown>) =>
  verifying.then(
    () => 'believed',
    (error: unknown) => (error instanceof WebhookVerificationError ? error.code : error),
  );

describe('verify', () => {
  it('reads the event from a delivery, given as a string or bytes', async () => {
    const headers = await signed();
    const event = { id: 'event_1', type: 'function.created', timestamp: '2026-11-21T11:59:59.000Z', data };
    const bytes = new TextEncoder().encode(body);
    for (const given of [body, bytes, bytes.buffer, Buffer.from(body)]) {
      expect(await verify(given, headers, secret, options)).toEqual(event);
    }
  });

  it('verify accepts headers as frameworks provide them', async () => {
    const headers = await signed();
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    for (const given of [new Headers(headers), upper, { ...headers, accept: undefined, via: ['a', 'b'] }]) {
      expect(await codeOf(verify(body, given, secret, options))).toBe('believed');
    }
  });

  it('verify accepts one of several signatures made with one of several secrets', async () => {
    const headers = await signed();
    const foreign = await sign({ id: 'event_1', timestamp: now, body }, other);
    const signature = `v1a,xxx ${foreign['webhook-signature']} v1, ${headers['webhook-signature']}`;
    const both = { ...headers, 'webhook-signature': signature };
    for (const given of [secret, other, [other, secret], [secret.slice('whsec_'.length)]]) {
      expect(await codeOf(verify(body, both, given, options))).toBe('believed');
    }
    expect(await codeOf(verify(body, headers, [other, secret], options))).toBe('believed');
    expect(await codeOf(verify(body, headers, other, options))).toBe('signature_mismatch');
  });

  it.each([
    [-300_000, 'believed'],
    [-301_000, 'timestamp_too_old'],
    [300_000, 'believed'],
    [301_000, 'timestamp_too_new'],
  ])('judges a delivery sent %i ms from now: %s', async (offset, code) => {
    expect(await codeOf(verify(body, await signed(body, now + offset), secret, options))).toBe(code);
    const tolerant = { ...options, toleranceSeconds: 600 };
    expect(await codeOf(verify(body, await signed(body, now + offset), secret, tolerant))).toBe('believed');
  });

  it.each([
    [{ 'webhook-id': undefined }, 'missing_header'],
    [{ 'webhook-timestamp': '' }, 'missing_header'],
    [{ 'webhook-signature': undefined }, 'missing_header'],
    [{ 'webhook-id': ['event_1', 'event_2'] }, 'invalid_header'],
    [{ 'webhook-id': 'event.1' }, 'invalid_header'],
    [{ 'webhook-timestamp': '1763726400.5' }, 'invalid_header'],
    [{ 'webhook-timestamp': 'now' }, 'invalid_header'],
    [{ 'webhook-signature': Array(17).fill('v1,x').join(' ') }, 'invalid_header'],
    [{ 'webhook-signature': 'v1,' }, 'signature_mismatch'],
    [{ 'webhook-signature': 'v1' }, 'signature_mismatch'],
    [{ 'webhook-id': 'event_2' }, 'signature_mismatch'],
  ])('refuses %j', async (headers, code) => {
    expect(await codeOf(verify(body, { ...(await signed()), ...headers }, secret, options))).toBe(code);
  });

  it.each([
    ['not json'],
    ['null'],
    ['[]'],
    ['{"type":"a"}'],
    ['{"type":"a","timestamp":"b","data":null}'],
    ['\ufeff{}'],
  ])('refuses %j, although it is signed', async (text) => {
    expect(await codeOf(verify(text, await signed(text), secret, options))).toBe('invalid_body');
  });

  it('verify names mistakes of the receiver', async () => {
    const headers = await signed();
    for (const given of ['', 'whsec_', 'whsec_???', 'whsec_abc', undefined as unknown as string]) {
      expect(await codeOf(verify(body, headers, given, options))).toBe('invalid_secret');
    }
    expect(await codeOf(verify(body, headers, [secret, ''], options))).toBe('invalid_secret');
    expect(await codeOf(verify(body, headers, [], options))).toBe('invalid_secret');
    expect(await codeOf(verify(JSON.parse(body) as string, headers, secret, options))).toBe('body_not_raw');
  });

  it('verify gives each kind of event its type', () => {
    const status = (event: WebhookEvent): string =>
      event.type === 'execution.failed' ? event.data.status : event.type;
    expectTypeOf(status).returns.toBeString();
    expectTypeOf<WebhookEventOf<'key.created'>['data']['scopes']>().toEqualTypeOf<readonly string[]>();
    expectTypeOf<Extract<WebhookEvent, { type: 'embedding.completed' }>['data']['tokens']>().toBeNumber();
    // @ts-expect-error There is no such kind.
    expectTypeOf<WebhookEventOf<'function.renamed'>>().toBeObject();
  });
});
