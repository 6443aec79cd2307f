import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { canary } from '@patchbay/canaries';
import { startUpstream, type Upstream } from '@patchbay/testing';
import type { Browser, BrowserContext } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { adminKey } from '../driver/server-process.ts';
import { type ServerInUse, useServer } from '../driver/use-server.ts';
import { type ConsolePage, openConsolePage } from './console-page.ts';
import { type Filled, fillServer } from './fill-server.ts';
import { openBrowser } from './open-browser.ts';
import { playedModel } from './played-model.ts';

const defaultConfig = fileURLToPath(new URL('../../../server/default.yaml', import.meta.url));

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
  /**
   * A tab with its own cookies, signed in with a key, and closed after the test. Without a key: a new tab of the browser that is
   * signed in with the admin key, whose other tabs are closed.
   */
  signedIn(key?: string): Promise<ConsolePage>;
  /** A tab with its own cookies, not signed in. Closed after the test, if one opens it. */
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

  // Tabs that stay open go on asking the server, and a browser that knows the program need not compile it again.
  let ofTest: BrowserContext[] | undefined;
  let ofAdmin: BrowserContext | undefined;
  beforeEach(() => {
    ofTest = [];
  });
  afterEach(async () => {
    for (const context of ofTest ?? []) await context.close();
    ofTest = undefined;
  });

  const signedOut = async (): Promise<ConsolePage> => {
    const context = await given(browser).createBrowserContext();
    ofTest?.push(context);
    return await openConsolePage(context, server.process.url);
  };
  const openAsAdmin = async (): Promise<ConsolePage> => {
    ofAdmin ??= await given(browser).createBrowserContext();
    const before = await ofAdmin.pages();
    const opened = await openConsolePage(ofAdmin, server.process.url);
    for (const page of before) await page.close();
    return opened;
  };
  const signIn = async ({ page }: ConsolePage, key: string): Promise<void> => {
    await page.type('.sign-in input', key);
    await page.click('.sign-in button');
    await page.waitForSelector('.desk');
  };
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
    async signedIn(key) {
      const opened = await (key === undefined ? openAsAdmin() : signedOut());
      await opened.open('', '.sign-in input, .desk');
      if ((await opened.page.$('.desk')) === null) await signIn(opened, key ?? adminKey);
      return opened;
    },
    signedOut,
  };
}
