import { expect, it } from 'vitest';
import { messageNotes } from '../anthropic-messages/response-notes.ts';
import { responseNotes } from '../openai-responses/response-notes.ts';
import { eventReader } from './response-reader.ts';

const start = 'event: message_start\ndata: {"type":"message_start","message":{}}\n\n';
const delta = 'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\n';
const stop = 'event: message_stop\ndata: {"type":"message_stop"}';

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}

it.each(['', '\n'])('the last event of a stream that ends with %j gets the empty line that clients wait for', (end) => {
  const reader = eventReader(messageNotes());
  const passed = textOf(reader.push(Buffer.from(start + delta + stop + end)));
  reader.end();
  expect(passed + textOf(reader.flush())).toBe(`${start}${delta}${stop}${end}\n\n`);
});

it('a line feed after the last event passes as it is', () => {
  const reader = eventReader(messageNotes());
  const stream = `${start}${delta}${stop}\n\n\n`;
  const passed = textOf(reader.push(Buffer.from(stream)));
  reader.end();
  expect(passed + textOf(reader.flush())).toBe(stream);
});

it.each(['event: response.output_te', 'event: response.output_text.delta\n', ': comm'])(
  'nothing passes of an event that was cut off after %j, which has no data',
  (cut) => {
    const reader = eventReader(responseNotes());
    const before = 'event: response.created\ndata: {"type":"response.created","response":{}}\n\n';
    expect(textOf(reader.push(Buffer.from(before + cut)))).toBe(before);
    expect(() => reader.end()).toThrow('ended before it was complete');
    expect(textOf(reader.flush())).toBe('');
  },
);
