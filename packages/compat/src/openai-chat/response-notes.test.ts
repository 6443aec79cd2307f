import { expect, it } from 'vitest';
import { eventReader } from '../forward/response-reader.ts';
import { chatNotes } from './response-notes.ts';

const head = '"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"Hi"}';

it.each([
  ['behind all others', `{${head}}],"usage":null}`, `{${head}}]}`],
  ['between others', `{${head}}],"usage":null,"obfuscation":"x"}`, `{${head}}],"obfuscation":"x"}`],
  ['before all others', `{"usage":null,${head}}]}`, `{${head}}]}`],
  ['with space around it', `{${head}}], "usage" : null}`, `{${head}}]}`],
  ['beside another within a choice', `{${head},"usage":null}],"usage":null}`, `{${head},"usage":null}]}`],
  [
    'beside a text that quotes it',
    '{"choices":[{"delta":{"content":",\\"usage\\":null"}}],"usage":null}',
    '{"choices":[{"delta":{"content":",\\"usage\\":null"}}]}',
  ],
])('the usage of a chunk that the caller did not ask for is taken out %s', (_, sent, shown) => {
  const reader = eventReader(chatNotes(true));
  expect(Buffer.from(reader.push(Buffer.from(`data: ${sent}\n\n`))).toString()).toBe(`data: ${shown}\n\n`);
});

it('events that pass unchanged are the bytes that came, not copies', () => {
  const bytes = Buffer.from(`data: {${head}}]}\n\n`.repeat(3));
  const passed = eventReader(chatNotes(true)).push(bytes);
  expect([passed.buffer, passed.byteOffset, passed.length]).toEqual([bytes.buffer, bytes.byteOffset, bytes.length]);
});
