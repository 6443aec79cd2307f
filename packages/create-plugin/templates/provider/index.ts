import { definePlugin, services } from '@patchbay/core/plugin';
import * as kit from '@patchbay/core/provider';

/** From the page of the vendor. Prices are in USD per 1,000,000 tokens; unsupported parameters are rejected here. */
const unsupported = ['frequencyPenalty', 'presencePenalty'] as const;
const models = new Map<string, kit.ModelInfo>([
  ['large', { name: 'large', capabilities: ['chat'], maxTokens: 4_096, pricing: { input: 1, output: 4 }, unsupported }],
]);
/** The vendor's codes for what callers can do something about. The status says the rest. */
const faults = new Map<unknown, kit.UpstreamFaultKind>([
  ['context_length_exceeded', 'context_length'],
  ['content_policy_violation', 'content_filter'],
  ['unsupported_parameter', 'unsupported'],
]);
const baseUrl = { type: 'string', default: 'https://api.example.com/v1' } as const;

/** Chats with the models of one vendor. */
export default definePlugin({
  name: 'patchbay-provider-template',
  kind: 'provider',
  version: 1,
  config: { properties: { apiKey: { type: 'string', writeOnly: true }, timeouts: kit.timeoutOptions, baseUrl } },
  deps: { transport: services.transport },
  create({ config: { apiKey, baseUrl, timeouts }, deps, mount }) {
    const name = kit.providerName(mount);
    if (!apiKey) return kit.offProvider(name, 'no apiKey is set');
    const upstream = kit.createUpstreamClient({
      name,
      fetch: deps.transport.createFetch(kit.transportOptions(baseUrl, timeouts)),
      headers: { authorization: `Bearer ${apiKey}` },
      secrets: [apiKey],
      readError: ({ error }) => ({ kind: faults.get(kit.fieldsOf(error)?.['code']) }),
    });
    return {
      models: async () => [...models.values()],
      async chat(request, { signal }) {
        kit.assertSupported(name, kit.findModel(name, models, request.model, 'chat'), request);
        const { model, maxTokens: max_tokens, temperature, topP: top_p, stop, seed, responseJson } = request;
        const sampling = { max_tokens, temperature, top_p, stop, seed, reasoning_effort: request.reasoningEffort };
        const response_format = responseJson ? { type: 'json_object' } : undefined;
        const body = { model, messages: kit.textMessages(request.messages), ...sampling, response_format };
        const answer = await upstream.ask(`${baseUrl}/chat/completions`, body, signal);
        const { message, finish_reason: reason } = kit.fieldsOf(kit.listOf(answer['choices'])?.[0]) ?? {};
        const { content, refusal } = kit.fieldsOf(message) ?? {};
        const { prompt_tokens: input, completion_tokens: output, ...details } = kit.fieldsOf(answer['usage']) ?? {};
        const cacheRead = kit.fieldsOf(details['prompt_tokens_details'])?.['cached_tokens'];
        const reasoning = kit.fieldsOf(details['completion_tokens_details'])?.['reasoning_tokens'];
        const usage = kit.readUsage({ input, output, cacheRead, reasoning }, upstream);
        const finishReason = reason === 'length' ? 'length' : kit.textOf(refusal) ? 'content-filter' : 'stop';
        const completion = { content: kit.textOf(content) ?? '', finishReason, usage } as const;
        const warnings = kit.foreignMembers(request, () => false);
        return kit.completeChat(completion, request, warnings, upstream);
      },
    };
  },
});
