import assert from 'node:assert/strict';
import type { ApiClient } from './api-under-test.ts';

export const summarize = {
  name: 'Summarize Text',
  description: 'Summarizes a text',
  input: {
    type: 'object',
    properties: {
      text: { type: 'string', description: 'The text' },
      maxPoints: { type: 'integer', description: 'How many points', default: 5 },
    },
    required: ['text'],
  },
  output: {
    type: 'object',
    properties: { summary: { type: 'string' }, points: { type: 'array', items: { type: 'string' } } },
    required: ['summary', 'points'],
  },
  // Like the specification's own sample: a bare declaration without export.
  code: `async function summarizeText({ text, maxPoints = 5 }) {
  const points = text.split('. ').slice(0, maxPoints);
  return { summary: points[0], points };
}`,
};

/** Store a function; resolves with its document. */
export async function createFunction(api: ApiClient, changes: object = {}): Promise<Readonly<Record<string, unknown>>> {
  const { status, body, text } = await api.ask('POST', '/functions', { body: { ...summarize, ...changes } });
  assert.equal(status, 201, text);
  return body;
}

/** Its path. */
export async function createFunctionAt(api: ApiClient, changes: object = {}): Promise<string> {
  return `/functions/${String((await createFunction(api, changes))['id'])}`;
}

/** Store a function for as long as a test uses it. */
export async function withFunction(
  api: ApiClient,
  changes: object,
  use: (path: string, created: Readonly<Record<string, unknown>>) => Promise<void>,
): Promise<void> {
  const created = await createFunction(api, changes);
  const path = `/functions/${String(created['id'])}`;
  try {
    await use(path, created);
  } finally {
    await api.ask('DELETE', path);
  }
}
