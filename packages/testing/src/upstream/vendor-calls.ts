import type { JsonObject } from '@patchbay/core/plugin';
import type { UpstreamOptions } from './start-upstream.ts';

/** A request as the vendor's clients send it. */
export interface VendorCall {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

type DialectName = UpstreamOptions['dialect'];

export const dialectNames: readonly DialectName[] = ['openai', 'anthropic', 'google'];

export function chatCall(dialect: DialectName, stream: boolean): VendorCall {
  const messages = [{ role: 'user', content: 'Hi' }];
  if (dialect === 'openai') {
    return {
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer key' },
      body: { model: 'm', messages, stream },
    };
  }
  if (dialect === 'anthropic') {
    return {
      path: '/v1/messages',
      headers: { 'x-api-key': 'key', 'anthropic-version': '2023-06-01' },
      body: { model: 'm', max_tokens: 9, messages, stream },
    };
  }
  return {
    path: `/v1beta/models/m:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    headers: { 'x-goog-api-key': 'key' },
    body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
  };
}
