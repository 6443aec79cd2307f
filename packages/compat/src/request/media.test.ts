import { describe, expect, it } from 'vitest';
import { Field } from './field.ts';
import { mediaSource } from './media.ts';

const read = (url: unknown) => mediaSource(new Field(url, '/url'));

describe('mediaSource', () => {
  it.each([
    ['https://example.com/a.png?b=c', { url: 'https://example.com/a.png?b=c' }],
    ['data:image/png;base64,AAAA', { data: 'AAAA', mediaType: 'image/png' }],
    ['data:IMAGE/PNG;charset=utf-8;base64,AA==', { data: 'AA==', mediaType: 'image/png' }],
  ])('reads %s', (url, source) => {
    expect(read(url)).toEqual(source);
  });

  it.each([
    'http://localhost/a',
    'http://10.1.2.3/a',
    'file:///etc/passwd',
    '',
    `https://example.com/${'a'.repeat(9_000)}`,
    'data:image/png,AAAA',
    'data:;base64,AAAA',
    'data:image/png;base64,',
    'data:image/png;base64,A?A=',
  ])('refuses %s', (url) => {
    expect(() => read(url)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it('reads megabytes at once', () => {
    const data = 'AAAA'.repeat(4_000_000);
    expect(read(`data:application/pdf;base64,${data}`)).toEqual({ data, mediaType: 'application/pdf' });
  });
});
