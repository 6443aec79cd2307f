import type { ChatRequest, ModelInfo } from '@patchbay/contracts/provider';
import { describe, expect, it } from 'vitest';
import { assertSupported, foreignMembers } from './assert-supported.ts';

const model: ModelInfo = {
  name: 'large',
  capabilities: ['chat'],
  maxTokens: 100,
  unsupported: ['topP'],
  maxTemperature: 1,
};
const all: ModelInfo = { name: 'all', capabilities: ['chat', 'vision', 'tools', 'structured-output'] };
const image = { type: 'image', url: 'https://example.test/a.png' } as const;
const asked: readonly [string, Partial<ChatRequest>][] = [
  ['topP', { topP: 0.5 }],
  ['a temperature above 1', { temperature: 1.1 }],
  ['maxTokens above 100', { maxTokens: 101 }],
  ['tools', { tools: [{ name: 'a', parameters: {} }] }],
  ['tools', { messages: [{ role: 'tool', toolCallId: '1', content: 'x' }] }],
  ['tools', { messages: [{ role: 'assistant', content: [{ type: 'tool-call', id: '1', name: 'a', arguments: {} }] }] }],
  ['a response schema', { responseSchema: {} }],
  ['images', { messages: [{ role: 'user', content: [image] }] }],
];

describe('assertSupported', () => {
  it.each(asked)('refuses %s, and names it', (what, part) => {
    const request: ChatRequest = { model: 'large', messages: [], ...part };
    expect(() => assertSupported('acme', model, request)).toThrow(`acme/large does not support ${what}`);
    expect(() => assertSupported('acme', model, request)).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter', upstream: { kind: 'unsupported' } }),
    );
    expect(() => assertSupported('acme', all, request)).not.toThrow();
  });

  it('points to the parameter', () => {
    const request: ChatRequest = { model: 'large', messages: [], maxTokens: 101 };
    const errors = [expect.objectContaining({ pointer: '/maxTokens', code: 'unsupported_parameter' })];
    expect(() => assertSupported('acme', model, request)).toThrow(expect.objectContaining({ errors }));
  });

  it('lets through what is within the limits', () => {
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'a' }] }] as const;
    const request: ChatRequest = { model: 'large', messages, temperature: 1, maxTokens: 100, tools: [] };
    expect(() => assertSupported('acme', model, request)).not.toThrow();
  });
});

describe('foreignMembers', () => {
  it('names what is lost of members that the gateway has in part', () => {
    const schema = { name: 'city', strict: true, schema: { type: 'object' }, description: 'A city' };
    const image_url = { url: 'https://example.test/a.png', detail: 'low' };
    const part = { type: 'image', url: image_url.url, extra: { 'openai-chat': { image_url } } } as const;
    const request: ChatRequest = {
      model: 'large',
      messages: [{ role: 'user', content: [part] }],
      extra: { 'openai-chat': { response_format: { type: 'json_schema', json_schema: schema }, user: 'u' } },
    };
    const lost = 'response_format.json_schema.description, user, image_url.detail';
    expect(foreignMembers(request, () => false)).toEqual([`members that only openai-chat has were not sent: ${lost}`]);
  });

  it('does not name members that are sent under other names', () => {
    const response_format = { type: 'json_schema', json_schema: { name: 'city', schema: {}, strict: true } };
    const request: ChatRequest = { model: 'large', messages: [], extra: { 'openai-chat': { response_format } } };
    expect(foreignMembers(request, () => false)).toEqual([]);
  });
});
