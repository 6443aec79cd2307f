import { definePlugin, services } from '@patchbay/core/plugin';
import {
  assertSupported,
  type ChatRequest,
  completeEmbedding,
  createUpstreamClient,
  fieldsOf,
  findModel,
  listOf,
  type ModelInfo,
  mergeModels,
  modelOptions,
  offProvider,
  providerName,
  refuseMembers,
  timeoutOptions,
  transportOptions,
} from '@patchbay/core/provider';
import { catalogue, needsResponses } from './catalogue.ts';
import { chatRequest } from './chat-request.ts';
import { chatReader, readChat } from './chat-response.ts';
import { embedBody, vectorsOf, withEmbedBatch } from './embeddings.ts';
import { forwardPaths, withDialects } from './forwarding.ts';
import { readerBehind, repeatedText, resultBehind, withPrefill } from './prefill.ts';
import { localModel, modelsOfPreset, type Preset, presetNames, presets } from './presets.ts';
import { readError } from './read-error.ts';
import { readResponse } from './responses/response-answer.ts';
import { responseRequest } from './responses/response-request.ts';
import { responseReader } from './responses/response-stream.ts';

const OPENAI_URL = 'https://api.openai.com/v1';

/** Milliseconds for a server on this machine to list its models. */
const DETECT_MS = 200;

/** Ask a server for its models; undefined where none answers. */
async function localModels(ask: typeof fetch, url: string): Promise<readonly ModelInfo[] | undefined> {
  try {
    const response = await ask(url);
    if (!response.ok) return undefined;
    const document = fieldsOf(JSON.parse(await response.text()));
    const listed = listOf(document?.['data']) ?? listOf(document?.['models']);
    return listed?.flatMap((entry) => localModel(fieldsOf(entry) ?? {}) ?? []);
  } catch {
    // Nothing listens there, or something else does.
    return undefined;
  }
}

/** OpenAI, and every server with a compatible API. */
export default definePlugin({
  name: '@patchbay/provider-openai',
  kind: 'provider',
  version: 1,
  config: {
    properties: {
      preset: {
        type: 'string',
        enum: presetNames,
        description:
          'A vendor or a server with an OpenAI-compatible API: sets `baseUrl`, models and known differences.',
      },
      apiKey: {
        type: 'string',
        writeOnly: true,
        description: "Without a key, the provider is off, unless `baseUrl` is not OpenAI's.",
      },
      baseUrl: {
        type: 'string',
        description: 'Base URL of the API. Default: that of the preset, or https://api.openai.com/v1.',
        pattern: '^(https?://[^\\s/?#]+([/?#]\\S*)?)?$',
        $comment: 'must be an http or https URL',
      },
      detect: {
        type: 'boolean',
        description:
          'Whether to ask the server for its models when Patchbay starts, for 200 ms at most. Without an answer, the ' +
          'provider is off. Default: true for presets of local servers.',
      },
      catalogue: {
        type: 'boolean',
        description: "Whether the server has OpenAI's public models. Default: true if `baseUrl` is OpenAI's.",
      },
      models: modelOptions,
      organization: { type: 'string', description: 'Value of the OpenAI-Organization header.' },
      project: { type: 'string', description: 'Value of the OpenAI-Project header.' },
      responses: {
        type: 'array',
        items: { type: 'string' },
        description:
          'Models to call through the Responses API. Default: models of the catalogue that support tools only there.',
      },
      timeouts: timeoutOptions,
    },
  },
  deps: { transport: services.transport },
  create({ config, deps, mount }) {
    const name = providerName(mount);
    const preset: Preset | undefined = config.preset === undefined ? undefined : presets[config.preset];
    const baseUrl = config.baseUrl || (preset ? preset.baseUrl : OPENAI_URL);
    if (baseUrl === undefined) return offProvider(name, `no baseUrl is set, which ${config.preset} needs`);
    // The transport reports an invalid URL.
    const hostname = URL.parse(baseUrl)?.hostname ?? '';
    const apiKey = config.apiKey?.trim();
    const isOpenAi = hostname === 'api.openai.com' || hostname.endsWith('.api.openai.com');
    const variable = isOpenAi ? 'OPENAI_API_KEY' : preset?.variable;
    if (variable !== undefined && !apiKey)
      return offProvider(name, `no apiKey is set; the built-in config takes it from ${variable}`);
    // Models at OpenAI itself, such as a fine-tuned one, are on OpenAI's price list.
    const own = (config.models ?? []).map((model) => (isOpenAi ? { vendor: 'openai', ...model } : model));
    const responses = config.responses && new Set(config.responses);
    const usesResponses = ({ name: model, vendor }: ModelInfo): boolean =>
      responses ? responses.has(model) : vendor === 'openai' && needsResponses.has(model);
    const known = (listed: readonly ModelInfo[]) =>
      withDialects(withPrefill(withEmbedBatch(mergeModels(listed, own), preset), preset), preset, usesResponses);
    let models = known((config.catalogue ?? isOpenAi) ? catalogue : []);
    let off: string | undefined;
    const fetch = deps.transport.createFetch(transportOptions(baseUrl, config.timeouts));
    const upstream = createUpstreamClient({
      name,
      fetch,
      headers: {
        ...(apiKey ? { [preset?.keyHeader ?? 'authorization']: preset?.keyHeader ? apiKey : `Bearer ${apiKey}` } : {}),
        ...(config.organization ? { 'openai-organization': config.organization } : {}),
        ...(config.project ? { 'openai-project': config.project } : {}),
      },
      secrets: [apiKey],
      readError,
    });
    const root = baseUrl.replace(/\/$/, '');
    // Whatever the mount is called.
    const { refused = [] } = (hostname === 'openrouter.ai' ? presets['openrouter'] : preset) ?? {};

    /** Whether a response begins with the text that it continues. */
    const repeats = (model: ModelInfo): boolean => model.prefill === true && preset?.prefill?.isRepeated === true;

    const find = (request: ChatRequest): ModelInfo => {
      const model = findModel(name, models, request.model, 'chat');
      assertSupported(name, model, request);
      refuseMembers(name, request.extra?.['openai-chat'] ?? {}, refused);
      return model;
    };

    return {
      get off() {
        return off;
      },

      async start() {
        if (!preset || config.catalogue !== undefined) return;
        if (preset.list === undefined) {
          models = known(await modelsOfPreset(preset));
        } else if (config.detect ?? true) {
          // By a deadline of the transport: a signal would count the time in which its library is loaded.
          const ask = deps.transport.createFetch(transportOptions(baseUrl, { totalMs: DETECT_MS }));
          const found = await localModels(ask, new URL(preset.list, root).href);
          if (found) models = known(found);
          else off = `no ${config.preset} server answers at ${new URL(root).origin}`;
        }
      },

      health: async () => (off === undefined ? { status: 'pass' } : { status: 'warn', detail: `off: ${off}` }),

      models: async () => [...models.values()],

      async chat(request, { signal }) {
        const model = find(request);
        if (usesResponses(model)) {
          const { body, warnings } = responseRequest(name, model, request);
          return readResponse(await upstream.ask(`${root}/responses`, body, signal), request, warnings, upstream);
        }
        const { body, warnings } = chatRequest(name, model, request, preset);
        const document = await upstream.ask(`${root}/chat/completions`, body, signal);
        const result = readChat(document, request, warnings, upstream);
        return repeats(model) ? resultBehind(repeatedText(request), result) : result;
      },

      stream(request, { signal }) {
        const model = find(request);
        if (usesResponses(model)) {
          const { body, warnings } = responseRequest(name, model, request);
          const reader = responseReader(request, warnings, upstream);
          return upstream.stream(`${root}/responses`, { ...body, stream: true }, signal, reader);
        }
        const { body, warnings } = chatRequest(name, model, request, preset);
        const usage = preset?.sendsUsageUnasked ? {} : { stream_options: { include_usage: true } };
        const streamed = { ...body, stream: true, ...usage } as const;
        const plain = chatReader(request, warnings, upstream);
        const reader = repeats(model) ? readerBehind(repeatedText(request), plain) : plain;
        return upstream.stream(`${root}/chat/completions`, streamed, signal, reader);
      },

      async embed(request, { signal }) {
        const model = findModel(name, models, request.model, 'embeddings');
        const document = await upstream.ask(`${root}/embeddings`, embedBody(model, request, preset), signal);
        const tokens = fieldsOf(document['usage'])?.['prompt_tokens'];
        return completeEmbedding({ vectors: vectorsOf(document, upstream), tokens }, request, model, upstream);
      },

      async forward(request, { signal }) {
        refuseMembers(name, request.body, refused);
        return await upstream.forward(`${root}${forwardPaths[request.dialect]}`, request, signal);
      },
    };
  },
});
