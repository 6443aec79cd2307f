import { definePlugin, services } from '@patchbay/core/plugin';
import * as kit from '@patchbay/core/provider';

/** From the page of the vendor. Prices are in USD per 1,000,000 tokens; unsupported parameters are rejected here. */
const unsupported = ['frequencyPenalty', 'presencePenalty'] as const;
const models = new Map<string, kit.ModelInfo>([
  ['large', { name: 'large', capabilities: ['chat'], maxTokens: 4_096, pricing: { input: 1, output: 4 }, unsupported }],
]);
/** The vendor's codes for what callers can do something about. The status says the rest. */
const faults = new Map<unknown, kit.UpstreamFaultKind>([
  ['too-long', 'context_length'],
  ['not-nice', 'content_filter'],
]);

const baseUrl = { type: 'string', default: 'https://api.acme.test/v2' } as const;

/** Chats with the models of one vendor. */
export default definePlugin({
  name: 'patchbay-provider-acme',
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
      headers: { 'x-acme-key': apiKey },
      secrets: [apiKey],
      readError: ({ fault }) => ({ kind: faults.get(kit.fieldsOf(fault)?.['code']) }),
    });
    return {
      models: async () => [...models.values()],
      async chat(request, { signal }) {
        kit.assertSupported(name, kit.findModel(name, models, request.model, 'chat'), request);
        const body = kit.definedMembers({
          engine: request.model,
          turns: kit.textMessages(request.messages).map(({ role, content }) => ({ from: role, say: content })),
          limit: request.maxTokens,
          heat: request.temperature,
          nucleus: request.topP,
          until: request.stop,
          seed: request.seed,
          effort: request.reasoningEffort,
          form: request.responseJson && 'json',
        });
        const warnings = kit.foreignMembers(request, () => false);
        const answer = await upstream.ask(`${baseUrl}/complete`, body, signal);
        const content = kit.textOf(kit.fieldsOf(answer['reply'])?.['say']);
        if (content === undefined) throw upstream.badAnswer('has no text', answer);
        const finishReason = answer['why'] === 'limit' ? 'length' : 'stop';
        const counted = kit.fieldsOf(answer['counted']);
        const usage = kit.readUsage({ input: counted?.['in'], output: counted?.['out'] }, upstream);
        return kit.completeChat({ content, finishReason, usage }, request, warnings, upstream);
      },
    };
  },
});
