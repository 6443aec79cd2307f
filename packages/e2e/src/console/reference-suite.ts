import { once } from 'node:events';
import { createServer } from 'node:http';
import apiKeys from '@patchbay/auth-api-key';
import { createApp } from '@patchbay/core';
import { createNodeListener } from '@patchbay/http';
import { serveLocally, upstreamReplies } from '@patchbay/testing';
import type { Page } from 'puppeteer-core';
import { beforeAll, expect, it } from 'vitest';
import { isFullSize } from '../driver/is-full-size.ts';
import { adminKey } from '../driver/server-process.ts';
import { axeFindings } from './axe-findings.ts';
import { type ConsolePage, openConsolePage } from './console-page.ts';
import { playedModel } from './played-model.ts';
import { sizes, themes } from './screens-suite.ts';
import type { ConsoleInUse } from './use-console.ts';

// The parts of a kind are made by one template, and axe takes minutes for all of them.
const keepSome = `for (const kind of ['section:not([id^="schema-"])', '[id^="schema-"]', 'nav li', '.error'])
  for (const element of [...document.querySelectorAll(kind)].slice(6, -2)) element.remove()`;

/** Tests of the API reference, which has the look of the console and its session. */
export function referenceSuite(used: ConsoleInUse): void {
  const docs = () => `${used.server.process.url}/docs`;
  let opened: ConsolePage;
  beforeAll(async () => {
    opened = await used.signedOut();
    await opened.page.goto(docs());
  });

  it('is searched by keyboard, and explains an error code in place', async () => {
    const { page, faults } = opened;
    await page.keyboard.press('/');
    await page.keyboard.type('dataset delete');
    const entries = await page.$$eval('nav li:not([hidden]) a', (links) => links.map(({ textContent }) => textContent));
    expect(entries).toEqual(['Delete all examples of a function', 'Delete an example of a function']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForFunction(`location.hash === '#deleteExample'`);
    await page.locator('nav input').fill('quota_exceeded');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#error-quota_exceeded[open]');
    expect(faults()).toEqual([]);
  });

  it('sends requests with a key that is typed in, and leads from a refusal to its explanation', async () => {
    const { page, faults, awaitFaults } = opened;
    expect(await send(page, 'listFunctions')).toContain('"code": "unauthenticated"');
    await page.locator('#listFunctions output a').click();
    await page.waitForSelector('#error-unauthenticated[open]');
    expect(await awaitFaults()).toEqual([expect.stringContaining('401')]);
    await page.type('.credentials input', adminKey);
    expect(await send(page, 'listFunctions', { limit: '1' })).toContain('"total"');
    expect(faults()).toEqual([]);
  });

  it('sends requests as the session of the console', async () => {
    const { page, faults } = await used.signedIn();
    await page.goto(docs());
    await page.waitForFunction(`document.querySelector('.credentials')?.textContent.includes('who is signed in')`);
    expect(await send(page, 'getFunction', { id: used.filled.summarize })).toContain('"name": "Summarize text"');
    const body = JSON.stringify({ input: { text: 'One. Two. Three.' } });
    expect(await send(page, 'executeFunction', { id: used.filled.summarize, body })).toContain('"summary": "One. Two"');
    expect(faults()).toEqual([]);
  });

  it('stops a request that takes too long', async () => {
    const { page, faults } = await used.signedIn();
    used.openai.script(upstreamReplies.hang());
    await page.goto(docs());
    await page.waitForFunction(`document.querySelector('.credentials')?.textContent.includes('who is signed in')`);
    await page.$eval('#chat .try', (details) => details.setAttribute('open', ''));
    const body = { model: 'openai/gpt-4.1', messages: [{ role: 'user', content: 'Where is my invoice?' }] };
    await page.$eval('#chat textarea', (field, text) => Object.assign(field, { value: text }), JSON.stringify(body));
    const asked = used.openai.nextRequest();
    await page.$eval('#chat .try button', (button) => button.click());
    const { closed } = await asked;
    await page.$eval('#chat .try button[type=button]', (button) => button.click());
    await page.waitForFunction("document.querySelector('#chat output').textContent.startsWith('Stopped, after')");
    if (!closed.aborted) await once(closed, 'abort');
    used.openai.script(playedModel());
    expect(await page.$$('#chat .try button')).toHaveLength(1);
    expect(faults()).toEqual([]);
  });

  it('works in a host without the console, below the path that it cuts off', async () => {
    const keys = { use: apiKeys, with: { bootstrapKey: adminKey } };
    const app = await createApp({ patchbay: 1, limits: { off: true }, authenticators: { keys } });
    const handle = createNodeListener(app, {
      mountPath: '/patchbay',
      operations: ['listFunctions', 'getDocs', 'getDocsFile'],
    });
    const host = await serveLocally(
      app,
      createServer((message, response) => {
        message.url = message.url?.replace('/patchbay', '');
        void handle(message, response);
      }),
    );
    const { page, faults } = await openConsolePage(await used.browser.createBrowserContext(), host.url);
    await page.goto(`${host.url}/patchbay/docs`);
    await page.type('.credentials input', adminKey);
    expect(await send(page, 'listFunctions')).toContain('"data": []');
    expect(faults()).toEqual([]);
    await page.close();
    await host.stop();
  });

  it.each(themes)('is readable in the %s theme at every width', async (theme) => {
    const { page, faults } = opened;
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
    await page.evaluate(keepSome);
    for (const size of sizes) {
      await page.setViewport(size);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(size.width);
      expect(isFullSize ? await axeFindings(page) : []).toEqual([]);
    }
    expect(faults()).toEqual([]);
  });
}

/** Fill in the form of an operation, send it, and return the response. */
async function send(page: Page, id: string, values: Readonly<Record<string, string>> = {}): Promise<string> {
  const form = `#${id} .try`;
  await page.$eval(form, (details) => details.setAttribute('open', ''));
  for (const [name, value] of Object.entries(values)) await page.locator(`${form} [name="${name}"]`).fill(value);
  await page.$eval(`${form} output`, (output) => output.replaceChildren());
  // A locator waits until the page has come to rest.
  await page.locator(`${form} button`).click();
  await page.waitForSelector(`${form}:has(output:not(:empty)) button:not([type], :disabled)`);
  return await page.$eval(`${form} output`, ({ textContent }) => textContent);
}
