import { readFileSync } from 'node:fs';
import { canary } from '@patchbay/canaries';
import { startUpstream, type Upstream } from '@patchbay/testing';
import { afterAll, beforeEach } from 'vitest';
import { type ServerHereInUse, useServerHere } from '../driver/use-server-here.ts';
import { fitting } from './replies.ts';

const defaultConfig = new URL('../../../server/default.yaml', import.meta.url);

export interface VendorsInUse {
  readonly server: ServerHereInUse;
  readonly openai: Upstream;
  readonly anthropic: Upstream;
  readonly google: Upstream;
}

/**
 * The server as it comes, with the keys of all vendors in its environment. Before each test the vendors
 * give healthy answers, with vectors as long as those of OpenAI's small model.
 *
 * @param more Further variables of its environment.
 * @param aliases Names of models.
 */
export async function useVendors(more: NodeJS.ProcessEnv = {}, aliases: object = {}): Promise<VendorsInUse> {
  const start = (dialect: 'openai' | 'anthropic' | 'google') => startUpstream({ dialect });
  const [openai, anthropic, google] = await Promise.all([start('openai'), start('anthropic'), start('google')]);
  const env = {
    OPENAI_API_KEY: canary('key-of-openai'),
    OPENAI_BASE_URL: openai.baseUrl,
    ANTHROPIC_API_KEY: canary('key-of-anthropic'),
    ANTHROPIC_BASE_URL: anthropic.baseUrl,
    GOOGLE_API_KEY: canary('key-of-google'),
    GOOGLE_BASE_URL: google.baseUrl,
    ...more,
  };
  beforeEach(() => {
    const embedding = Array.from({ length: 1_536 }, (_, index) => (index % 9) / 8 - 0.5);
    for (const upstream of [openai, anthropic]) upstream.script(fitting({ embedding }));
    google.script(fitting({ embedding: [...embedding, ...embedding] }));
  });
  const config = `${readFileSync(defaultConfig, 'utf8')}\ngateway: ${JSON.stringify({ aliases })}\n`;
  const server = useServerHere({ env, config });
  afterAll(async () => {
    await Promise.all([openai.stop(), anthropic.stop(), google.stop()]);
  });
  return { server, openai, anthropic, google };
}
