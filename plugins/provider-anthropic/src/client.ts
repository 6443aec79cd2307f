import type Anthropic from '@anthropic-ai/sdk';

export interface ClientOptions {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
}

/** Longest delay of a timer. Deadlines are kept by the transport; the SDK has no switch for its own. */
const NEVER = 2_147_483_647;

/**
 * Newer versions of the API refuse temperature and topP for every model, also for those that take them. This one is
 * what everything that speaks like Anthropic knows.
 */
const API_VERSION = '2023-06-01';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Loads the SDK at the first call: it takes a tenth of a second that hosts without Anthropic need not spend. */
export function lazyClient(options: ClientOptions): () => Promise<Anthropic> {
  let client: Promise<Anthropic> | undefined;
  return () => {
    client ??= createClient(options);
    return client;
  };
}

async function createClient({ apiKey, baseUrl, fetch }: ClientOptions): Promise<Anthropic> {
  const { default: Client } = await import('@anthropic-ai/sdk');
  return new Client({
    // What is null or false is not read from the environment.
    apiKey,
    authToken: null,
    webhookKey: null,
    openTelemetry: false,
    baseURL: baseUrl,
    fetch,
    maxRetries: 0,
    timeout: NEVER,
    logLevel: 'off',
    logger: silent,
    // With that version comes its own header for the key; the SDK has moved on to another one.
    defaultHeaders: { 'anthropic-version': API_VERSION, 'x-api-key': apiKey, authorization: null },
  });
}
