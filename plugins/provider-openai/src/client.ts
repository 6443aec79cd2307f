import type OpenAI from 'openai';

export interface ClientOptions {
  readonly apiKey: string | undefined;
  readonly baseUrl: string;
  readonly organization: string | undefined;
  readonly project: string | undefined;
  readonly fetch: typeof fetch;
}

/** Longest delay of a timer. Deadlines are kept by the transport; the SDK has no switch for its own. */
const NEVER = 2_147_483_647;

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Loads the SDK at the first call: it takes a tenth of a second that hosts without OpenAI need not spend. */
export function lazyClient(options: ClientOptions): () => Promise<OpenAI> {
  let client: Promise<OpenAI> | undefined;
  return () => {
    client ??= createClient(options);
    return client;
  };
}

async function createClient({ apiKey, baseUrl, organization, project, fetch }: ClientOptions): Promise<OpenAI> {
  const { default: Client } = await import('openai');
  return new Client({
    // What is null is not read from the environment.
    apiKey: apiKey || 'none',
    adminAPIKey: null,
    webhookSecret: null,
    organization: organization || null,
    project: project || null,
    baseURL: baseUrl,
    fetch,
    maxRetries: 0,
    timeout: NEVER,
    logLevel: 'off',
    logger: silent,
    ...(apiKey ? {} : { defaultHeaders: { authorization: null } }),
  });
}
