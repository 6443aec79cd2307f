import { readFileSync } from 'node:fs';
import { canary } from '@patchbay/canaries';
import { startUpstream, type Upstream } from '@patchbay/testing';
import { afterAll, beforeEach } from 'vitest';
import { type ServerHereInUse, useServerHere } from '../driver/use-server-here.ts';
import { fitting } from './replies.ts';

const builtIn = readFileSync(new URL('../../../server/default.yaml', import.meta.url), 'utf8');
// Those of the config would refuse what a fast machine asks with the key of all tests.
const limitsOfKeys = 'limits: { key: { all: { off: true }, model: { off: true } } }';
const withoutExecutor = builtIn.replace(/^executor:\n( .*\n)+/m, '');

export interface VendorsInUse {
  readonly server: ServerHereInUse;
  readonly openai: Upstream;
  readonly anthropic: Upstream;
  readonly google: Upstream;
}

export interface VendorsOptions {
  /** Names of models. */
  readonly aliases?: object;
  /** Whether keys have the limits that they were created with. Default: nothing is limited. */
  readonly limitsKeys?: boolean;
  /** Whether it has an executor, which explores its machine at every start. Default: it has none. */
  readonly runsCode?: boolean;
}

/**
 * The server as it comes, with the keys of all vendors in its environment. Before each test the vendors
 * give healthy answers, with vectors as long as those of OpenAI's small model.
 */
export async function useVendors({
  aliases = {},
  limitsKeys = false,
  runsCode = false,
}: VendorsOptions = {}): Promise<VendorsInUse> {
  const start = (dialect: 'openai' | 'anthropic' | 'google') => startUpstream({ dialect });
  const [openai, anthropic, google] = await Promise.all([start('openai'), start('anthropic'), start('google')]);
  const env = {
    OPENAI_API_KEY: canary('key-of-openai'),
    OPENAI_BASE_URL: openai.baseUrl,
    ANTHROPIC_API_KEY: canary('key-of-anthropic'),
    ANTHROPIC_BASE_URL: anthropic.baseUrl,
    GOOGLE_API_KEY: canary('key-of-google'),
    GOOGLE_BASE_URL: google.baseUrl,
  };
  beforeEach(() => {
    const embedding = Array.from({ length: 1_536 }, (_, index) => (index % 9) / 8 - 0.5);
    for (const upstream of [openai, anthropic]) upstream.script(fitting({ embedding }));
    google.script(fitting({ embedding: [...embedding, ...embedding] }));
  });
  const usual = runsCode ? builtIn : withoutExecutor;
  const limited = limitsKeys ? usual.replace(/^limits:.*$/m, limitsOfKeys) : usual;
  const config = `${limited}\ngateway: ${JSON.stringify({ aliases })}\n`;
  const server = useServerHere({ env, config });
  afterAll(async () => {
    await Promise.all([openai.stop(), anthropic.stop(), google.stop()]);
  });
  return { server, openai, anthropic, google };
}
