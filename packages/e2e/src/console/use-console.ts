import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { canary } from '@patchbay/canaries';
import { startUpstream, type Upstream } from '@patchbay/testing';
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll } from 'vitest';
import { adminKey } from '../driver/server-process.ts';
import { type ServerInUse, useServer } from '../driver/use-server.ts';
import { type ConsolePage, openConsolePage } from './console-page.ts';
import { type Filled, fillServer } from './fill-server.ts';
import { openBrowser } from './open-browser.ts';
import { playedModel } from './played-model.ts';

const defaultConfig = fileURLToPath(new URL('../../../server/default.yaml', import.meta.url));
const buildScript = fileURLToPath(new URL('../../../console/scripts/build.ts', import.meta.url));

/** The server shows a sign-in link to people only. */
const asTerminal = '--import=data:text/javascript,process.stdin.isTTY=process.stderr.isTTY=true';

/** One server with data, played models and one browser for the tests of a file. */
export interface ConsoleInUse {
  readonly server: ServerInUse;
  /** Ids of what the server has been filled with. */
  readonly filled: Filled;
  readonly openai: Upstream;
  readonly anthropic: Upstream;
  readonly browser: Browser;
  /** The link that the server has shown at its start. */
  signInLink(): string;
  /** A tab with its own cookies, signed in with a key. Default: the admin key. */
  signedIn(key?: string): Promise<ConsolePage>;
  /** A tab with its own cookies, not signed in. */
  signedOut(): Promise<ConsolePage>;
}

/** Start them before all tests. */
export function useConsole(): ConsoleInUse {
  const upstreams = new Map<string, Upstream>();
  const env: NodeJS.ProcessEnv = {};
  let browser: Browser | undefined;
  let filled: Filled | undefined;
  beforeAll(async () => {
    for (const dialect of ['openai', 'anthropic'] as const) {
      const upstream = await startUpstream({ dialect });
      upstream.script(playedModel());
      upstreams.set(dialect, upstream);
      env[`${dialect.toUpperCase()}_BASE_URL`] = upstream.baseUrl;
      env[`${dialect.toUpperCase()}_API_KEY`] = canary(`key-of-${dialect}`);
    }
    env['NODE_OPTIONS'] = asTerminal;
    await promisify(execFile)(process.execPath, ['--conditions=source', buildScript]);
  });
  afterAll(async () => {
    await Promise.all([...upstreams.values()].map((upstream) => upstream.stop()));
  });
  const server = useServer({
    env,
    config: `${readFileSync(defaultConfig, 'utf8')}\nwebhooks: { allow: ["127.0.0.0/8"] }\ncallRecords: { content: full, redact: [/input/secret] }\n`,
  });
  beforeAll(async () => {
    browser = await openBrowser();
    filled = await fillServer(server);
  });
  afterAll(() => browser?.close());

  const given = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('it has not been started');
    return value;
  };
  const signedOut = async (): Promise<ConsolePage> =>
    openConsolePage(await given(browser).createBrowserContext(), server.process.url);
  return {
    server,
    get filled() {
      return given(filled);
    },
    get openai() {
      return given(upstreams.get('openai'));
    },
    get anthropic() {
      return given(upstreams.get('anthropic'));
    },
    get browser() {
      return given(browser);
    },
    signInLink: () => given(/Console: (\S+)/.exec(server.process.errors())?.[1]),
    async signedIn(key = adminKey) {
      const opened = await signedOut();
      await opened.open('', '.sign-in input');
      await opened.page.type('.sign-in input', key);
      await opened.page.click('.sign-in button');
      await opened.page.waitForSelector('.desk');
      return opened;
    },
    signedOut,
  };
}
