import { fieldsOf, listOf } from '@patchbay/core/provider';
import { startUpstream, type Upstream, upstreamReplies } from '@patchbay/testing';

/** Dollars for a million tokens, by model. A judge is a model, too. */
const prices = { good: 3_000, fair: 1_000, poor: 200, judge: 100 } as const;

/** Tokens of each call. */
const usage = { uncachedInputTokens: 40, outputTokens: 10 } as const;

type ModelName = keyof typeof prices;

/** In how many of ten cases a model is right, by the version of the prompt. */
const rightOfTen: Readonly<Record<Exclude<ModelName, 'judge'>, readonly [number, number]>> = {
  good: [9, 10],
  fair: [6, 8],
  poor: [3, 3],
};

export interface PlayedModels {
  readonly upstream: Upstream;
  /** Config of a server that has them. */
  readonly config: string;
  /** Requests by their content: the same twice is paid twice. */
  counts(): ReadonlyMap<string, number>;
  /** Called with the number of requests so far, before each answer. */
  onRequest: (count: number) => void;
  /** Cost of all requests, in dollars. */
  paid(): number;
  clear(): void;
}

/** Models whose answers follow from the question: one is right more often than the other, and with the second prompt. */
export async function playModels(): Promise<PlayedModels> {
  const upstream = await startUpstream({ dialect: 'openai' });
  let counts = new Map<string, number>();
  let paid = 0;
  let count = 0;
  const played: PlayedModels = {
    upstream,
    config: configOf(upstream.baseUrl),
    counts: () => counts,
    onRequest: () => undefined,
    paid: () => paid,
    clear() {
      counts = new Map();
      paid = 0;
      count = 0;
    },
  };
  upstream.script(async (exchange) => {
    const { model, question } = askedIn(exchange.request.json);
    const asked = `${model}: ${question}`;
    counts.set(asked, (counts.get(asked) ?? 0) + 1);
    paid += ((usage.uncachedInputTokens + usage.outputTokens) * prices[model]) / 1_000_000;
    count += 1;
    played.onRequest(count);
    await upstreamReplies.healthy({ text: JSON.stringify(answerTo(model, question)), usage })(exchange);
  });
  return played;
}

function askedIn(json: unknown): { readonly model: ModelName; readonly question: string } {
  const request = fieldsOf(json);
  const last = fieldsOf(listOf(request?.['messages'])?.at(-1));
  return { model: String(request?.['model']) as ModelName, question: String(last?.['content']) };
}

function answerTo(model: ModelName, question: string): object {
  if (model === 'judge') return { verdict: question.includes('"word":"wrong"') ? 'fail' : 'pass' };
  const number = Number(/\d+/.exec(question)?.[0]);
  const [first, second] = rightOfTen[model];
  const isRight = number % 10 < (question.startsWith('Carefully') ? second : first);
  return { word: isRight ? `right ${number}` : 'wrong' };
}

function configOf(baseUrl: string): string {
  const models = Object.entries(prices).map(([name, price]) => ({
    name,
    capabilities: ['chat', 'structured-output'],
    pricing: { input: price, output: price },
  }));
  return `patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: "\${PATCHBAY_DATA}/patchbay.db" } }
executor: { use: "@patchbay/executor-deno" }
providers:
  played:
    use: "@patchbay/provider-openai"
    with: { apiKey: none, baseUrl: "${baseUrl}", models: ${JSON.stringify(models)} }
  demo: { use: "@patchbay/provider-demo" }
router: { use: "@patchbay/router-learned" }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
secretFile: "\${PATCHBAY_DATA}/secret"
`;
}
