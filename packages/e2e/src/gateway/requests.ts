/** A way to ask a model over HTTP. */
export interface GatewayRequest {
  readonly name: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly streams: boolean;
  /** It asks for vectors, not for a text. */
  readonly embeds: boolean;
  /** The vendor that is asked at all; the others are not. Default: every vendor. */
  readonly vendor?: string;
}

/** Whether a request of this kind comes to a vendor. */
export function comesTo({ vendor, embeds }: GatewayRequest, to: { readonly name: string; readonly embeds: boolean }) {
  return (to.embeds || !embeds) && (vendor === undefined || vendor === to.name);
}

const prompt = 'What is the weather in Bern?';
const messages = [{ role: 'user', content: prompt }];

export const weather = {
  name: 'weather',
  description: 'The weather in a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
} as const;

const request = (name: string, path: string, body: GatewayRequest['body']): GatewayRequest => {
  return { name, path, body, streams: 'stream' in body, embeds: path.endsWith('/embeddings') };
};

export const gatewayRequests: readonly GatewayRequest[] = [
  request('generate', '/generate', { prompt }),
  request('chat', '/chat', { messages }),
  request('embeddings', '/embeddings', { text: 'The weather in Bern' }),
  request('function-calling', '/function-calling', { messages, functions: [weather] }),
  request('generate-stream', '/generate', { prompt, stream: true }),
  request('chat-stream', '/chat', { messages, stream: true }),
];

/** In the formats of the APIs of OpenAI and Anthropic. */
export const compatibleRequests: readonly GatewayRequest[] = [
  request('completions', '/v1/chat/completions', { messages }),
  request('completions-stream', '/v1/chat/completions', { messages, stream: true }),
  request('responses', '/v1/responses', { input: prompt }),
  request('responses-stream', '/v1/responses', { input: prompt, stream: true }),
  request('messages', '/v1/messages', { max_tokens: 64, messages }),
  request('messages-stream', '/v1/messages', { max_tokens: 64, messages, stream: true }),
  request('compatible-embeddings', '/v1/embeddings', { input: ['The weather in Bern'] }),
  { ...request('count-tokens', '/v1/messages/count_tokens', { messages }), vendor: 'anthropic' },
];
