import {
  assertSupported,
  type ChatRequest,
  createUpstreamClient,
  fieldsOf,
  findModel,
  type JsonFields,
  type ModelInfo,
  type Provider,
  textOf,
  type UpstreamFaultKind,
  type VendorError,
} from '@patchbay/core/provider';
import { chatRequest } from './chat-request.ts';
import { readChat, readChatStream } from './chat-response.ts';

interface AnthropicProviderOptions {
  /** The provider's name, for messages. */
  readonly name: string;
  readonly models: ReadonlyMap<string, ModelInfo>;
  readonly apiKey: string;
  readonly baseUrl: string;
  /** Made by the transport. */
  readonly fetch: typeof fetch;
}

/**
 * Newer versions of the API refuse temperature and topP for every model, also for those that take them. This one is
 * what everything that speaks like Anthropic knows.
 */
const API_VERSION = '2023-06-01';

/** The Messages API of Anthropic. */
export function createAnthropicProvider(options: AnthropicProviderOptions): Provider {
  const { name, models, apiKey, fetch } = options;
  const headers = { 'anthropic-version': API_VERSION, 'x-api-key': apiKey };
  const upstream = createUpstreamClient({ name, fetch, headers, secrets: [apiKey], readError });
  const url = `${options.baseUrl.replace(/\/$/, '')}/v1/messages`;

  const prepare = (request: ChatRequest) => {
    const model = findModel(name, models, request.model, 'chat');
    assertSupported(name, model, request);
    return chatRequest(name, model, request);
  };

  return {
    models: async () => [...models.values()],

    async chat(request, { signal }) {
      const { body, warnings } = prepare(request);
      return readChat(await upstream.ask(url, body, signal), request, warnings, upstream);
    },

    async *stream(request, { signal }) {
      const { body, warnings } = prepare(request);
      const events = upstream.stream(url, { ...body, stream: true }, signal);
      yield* readChatStream(events, request, warnings, upstream);
    },
  };
}

const types: Readonly<Record<string, UpstreamFaultKind>> = {
  authentication_error: 'auth',
  permission_error: 'auth',
  billing_error: 'auth',
  not_found_error: 'model_gone',
  request_too_large: 'context_length',
  rate_limit_error: 'rate_limited',
  overloaded_error: 'failed',
  api_error: 'failed',
  timeout_error: 'failed',
};

/** `invalid_request_error` tells its causes apart in words only, which may repeat the request: all of them are its faults. */
const sentences: readonly (readonly [RegExp, UpstreamFaultKind])[] = [
  [/prompt is too long|context (window|limit|length)/i, 'context_length'],
  [/content filter|content policy|blocked by/i, 'content_filter'],
  [/(not|n't) (be )?(support|allowed|permitted|available)|deprecated|non-empty|prefill/i, 'unsupported'],
];

/** Reads `{ type: "error", error: { type, message } }`. */
export function readError(document: JsonFields, status: number | undefined): VendorError {
  const error = fieldsOf(document['error']);
  const type = textOf(error?.['type']) ?? '';
  if (types[type]) return { kind: types[type] };
  if (status !== 400 && type !== 'invalid_request_error') return {};
  const message = textOf(error?.['message']) ?? '';
  const kind = sentences.find(([pattern]) => pattern.test(message))?.[1];
  return { kind: kind ?? (status === undefined ? 'rejected' : undefined) };
}
