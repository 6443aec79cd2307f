import { EventEmitter, once } from 'node:events';
import type { BrowserContext, HTTPRequest, Page } from 'puppeteer-core';

/** A tab of the browser, in which everything that should not happen is written down. */
export interface ConsolePage {
  readonly page: Page;
  /** Go to a place in the console, and wait for a selector of it. */
  open(hash: string, ready: string): Promise<void>;
  /** Press the button of this name, in the dialog that is open if there is one. */
  press(name: string): Promise<void>;
  /** The text of an element, once it is there. */
  textOf(selector: string): Promise<string>;
  /** Errors, violations of the content security policy, dialogs, and requests to other origins, since it was asked last. */
  readonly faults: () => readonly string[];
  /** The same once there is one: the browser reports it after the page has shown what is wrong. */
  readonly awaitFaults: () => Promise<readonly string[]>;
}

const WAIT_MS = 30_000;

const tellViolations = `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  console.error('content security policy: ' + violatedDirective + ' ' + blockedURI))`;

/** Open a tab. */
export async function openConsolePage(context: BrowserContext, url: string): Promise<ConsolePage> {
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  const faults: string[] = [];
  const noted = new EventEmitter();
  const note = (fault: string): void => {
    faults.push(fault);
    noted.emit('fault');
  };
  page.on('pageerror', (error) => note(`uncaught: ${String(error)}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warn') note(`console: ${message.text()}`);
  });
  page.on('dialog', (dialog) => {
    note(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (isElsewhere(request, url)) note(`request: ${request.method()} ${request.url()}`);
  });
  await page.evaluateOnNewDocument(tellViolations);
  return {
    page,
    async open(hash, ready) {
      const place = `${url}/console${hash}`;
      // A place of the page that is open already needs no other page, and a browser reads none.
      if (page.url().startsWith(`${url}/console`)) await page.evaluate(`location.assign(${JSON.stringify(place)})`);
      else await page.goto(place);
      await page.waitForSelector(ready);
    },
    async press(name) {
      // By its focus, not its position: a page that is still being loaded moves its buttons away from the mouse.
      const button = page.locator(`::-p-aria([name="${name}"][role="button"]):enabled`);
      await (await button.waitHandle()).press('Enter');
    },
    async textOf(selector) {
      const found = await page.waitForSelector(selector);
      return (await found?.evaluate(({ textContent }) => textContent)) ?? '';
    },
    faults: () => faults.splice(0),
    async awaitFaults() {
      if (faults.length === 0) await once(noted, 'fault', { signal: AbortSignal.timeout(WAIT_MS) });
      return faults.splice(0);
    },
  };
}

/** Text of what is there. */
export async function textOf({ page }: ConsolePage, selector: string): Promise<string> {
  return (await page.$eval(selector, ({ textContent }) => textContent)) ?? '';
}

function isElsewhere(request: HTTPRequest, url: string): boolean {
  const { protocol, origin } = new URL(request.url());
  return !['data:', 'blob:'].includes(protocol) && origin !== url;
}
