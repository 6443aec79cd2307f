import { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type NodeMessage, NodeRequest } from './node-exchange.ts';

// Requests whose body the host has already parsed.

type Given = Pick<NodeMessage, 'body'> & {
  readonly headers?: Record<string, string>;
  readonly readableEnded?: boolean;
};

function requestWith(given: Given, body?: () => unknown): NodeRequest {
  const headers = given.headers ?? { 'content-length': '2' };
  const message = { method: 'POST', url: '/', readableEnded: true, ...given, headers } as unknown as NodeMessage;
  return new NodeRequest(message, new Duplex() as never, { ...(body && { body }) });
}

const bytesOf = (received: object) => ('bytes' in received ? Buffer.from(received.bytes as Uint8Array).toString() : '');

describe('a body that the host has read', () => {
  it('arrives as the value, text or bytes of its parser', async () => {
    expect(await requestWith({ body: { a: 1 } }).readBody(10, () => {})).toEqual({ parsed: { a: 1 } });
    expect(await requestWith({ body: null }).readBody(10, () => {})).toEqual({ parsed: null });
    expect(bytesOf(await requestWith({ body: '{}' }).readBody(10, () => {}))).toBe('{}');
    expect(bytesOf(await requestWith({ body: Buffer.from('{}') }).readBody(10, () => {}))).toBe('{}');
  });

  it('comes from the function of the host', async () => {
    expect(await requestWith({ body: undefined }, () => ({ b: 2 })).readBody(10, () => {})).toEqual({
      parsed: { b: 2 },
    });
  });

  it('reads as empty when none was sent', async () => {
    expect(bytesOf(await requestWith({ body: undefined, headers: {} }).readBody(10, () => {}))).toBe('');
  });

  it('that was read and discarded is an error that says what to do, instead of an endless wait', async () => {
    await expect(requestWith({ body: undefined }).readBody(10, () => {})).rejects.toThrow(
      'mount the API before its body parsers',
    );
  });

  it.each([
    ['by its announced length', { body: {}, headers: { 'content-length': '11' } }],
    ['by its text', { body: '{"a":"äöü"}', headers: { 'transfer-encoding': 'chunked' } }],
    ['by its bytes', { body: Buffer.alloc(11), headers: { 'transfer-encoding': 'chunked' } }],
  ])('is subject to the same limits: %s', async (_, given) => {
    await expect(requestWith(given).readBody(10, () => {})).rejects.toMatchObject({ code: 'body_too_large' });
  });
});

it('a cut-off path prefix never leads to another host', () => {
  const message = { method: 'GET', url: '/functions', originalUrl: '//evil.example/functions', headers: {} };
  expect(new NodeRequest(message as unknown as NodeMessage, new Duplex() as never).mountPath).toBe('/evil.example');
});
