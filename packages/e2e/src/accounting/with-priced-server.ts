import { canary } from '@patchbay/canaries';
import { type ServerProcess, startServerProcess, temporaryData } from '../driver/server-process.ts';
import { MAX_TOKENS, type PricedUpstream, price, startPricedUpstream } from './priced-upstream.ts';

export interface PricedServerOptions {
  readonly seed: number;
  /** Lines of the config beyond the storage, the keys and the vendor. */
  readonly lines: string;
  /** Line of the log after which the server is ready. Default: that it listens. */
  readonly readyMessage?: string;
}

/** Do something with a server that has one model, of a vendor that knows what it is owed, and stop both. */
export async function withPricedServer<T>(
  { seed, lines, readyMessage = 'listening' }: PricedServerOptions,
  work: (server: ServerProcess, upstream: PricedUpstream) => Promise<T>,
): Promise<T> {
  const upstream = await startPricedUpstream(seed);
  const data = await temporaryData();
  let server: ServerProcess | undefined;
  try {
    const config = `${lines}\n${common(upstream)}`;
    server = await startServerProcess(data.path, { config, readyMessage });
    return await work(server, upstream);
  } finally {
    await server?.end('SIGTERM');
    await data.remove();
    await upstream.stop();
  }
}

const common = ({ baseUrl }: PricedUpstream) => `patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: "\${PATCHBAY_DATA}/patchbay.db" } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
secretFile: ./secret
providers:
  priced:
    use: "@patchbay/provider-openai"
    with:
      apiKey: ${canary('key-of-a-vendor')}
      baseUrl: ${baseUrl}
      models: [{ name: text, capabilities: [chat], maxTokens: ${MAX_TOKENS}, pricing: { input: ${price.input}, output: ${price.output} } }]
`;
