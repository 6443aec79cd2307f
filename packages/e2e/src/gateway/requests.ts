/** A way to ask a model over HTTP. */
export interface GatewayRequest {
  readonly name: 'generate' | 'chat' | 'embeddings' | 'function-calling' | 'generate-stream' | 'chat-stream';
  readonly path: '/generate' | '/chat' | '/embeddings' | '/function-calling';
  readonly body: Readonly<Record<string, unknown>>;
  readonly streams: boolean;
}

const messages = [{ role: 'user', content: 'What is the weather in Bern?' }];

export const weather = {
  name: 'weather',
  description: 'The weather in a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
} as const;

const request = (
  name: GatewayRequest['name'],
  path: GatewayRequest['path'],
  body: GatewayRequest['body'],
): GatewayRequest => ({ name, path, body, streams: 'stream' in body });

export const gatewayRequests: readonly GatewayRequest[] = [
  request('generate', '/generate', { prompt: 'What is the weather in Bern?' }),
  request('chat', '/chat', { messages }),
  request('embeddings', '/embeddings', { text: 'The weather in Bern' }),
  request('function-calling', '/function-calling', { messages, functions: [weather] }),
  request('generate-stream', '/generate', { prompt: 'What is the weather in Bern?', stream: true }),
  request('chat-stream', '/chat', { messages, stream: true }),
];
