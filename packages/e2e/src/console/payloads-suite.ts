import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConsolePage } from './console-page.ts';
import { type Filled, fillServer, type Wording } from './fill-server.ts';
import { startLocalServer } from './local-server.ts';
import { injected, payloads } from './payloads.ts';
import { playedModel } from './played-model.ts';
import { screens } from './screens.ts';
import type { ConsoleInUse } from './use-console.ts';

const all = payloads.join('\n');

let next = 0;

const hostile: Wording = {
  name: (text) => `${text} ${payloads[next++ % payloads.length]}`,
  text: (text) => `${text}\n${all}`,
};

/** Every screen over data whose texts are all payloads: names, descriptions, logs, inputs, outputs, answers, headers. */
export function payloadsSuite(used: ConsoleInUse): void {
  let opened: ConsolePage;
  let filled: Filled;
  beforeAll(async () => {
    for (const upstream of [used.openai, used.anthropic]) upstream.script(playedModel(hostile.text));
    filled = await fillServer(used.server, hostile);
    const schema = { type: 'object' };
    for (const [index, payload] of payloads.entries()) {
      const headers = { 'user-agent': payload, 'x-request-id': payload, referer: payload };
      const code = `export default () => { throw new Error(${JSON.stringify(payload)}) }`;
      const body = { name: payload, description: payload, input: schema, output: schema, ...(index < 3 && { code }) };
      const made = await used.server.ask('POST', '/functions', body, headers);
      if (index < 3)
        await used.server.ask('POST', `/functions/${String(made.body['id'])}/execute`, { input: {} }, headers);
      await used.server.ask('POST', '/keys', { name: payload, scopes: ['models:read'] }, headers);
    }
    opened = await used.signedIn();
  });
  afterAll(() => {
    for (const upstream of [used.openai, used.anthropic]) upstream.script(playedModel());
  });

  const expectNothingInjected = async (): Promise<void> => {
    expect(await opened.page.evaluate(findInjected)).toEqual([]);
    expect(opened.faults()).toEqual([]);
  };

  it('shows them as text on every screen, and does nothing else with them', async () => {
    const showing: string[] = [];
    for (const { name, hash, ready } of screens) {
      await opened.open(hash(filled), ready);
      if (await opened.page.evaluate(isShown)) showing.push(name);
      // Only the rows in view are in the page.
      await opened.page.evaluate("for (const each of document.querySelectorAll('.list-view')) each.scrollTop = 1e6");
      await opened.page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      await expectNothingInjected();
    }
    expect(showing).toEqual(
      expect.arrayContaining([
        'functions',
        'function',
        'function-settings',
        'call',
        'failed-execution',
        'keys',
        'key',
        'webhook',
      ]),
    );
  });

  it('shows what the receiver of a webhook answers as text', async () => {
    await using receiver = await startLocalServer((_request, response) => response.end(all));
    const { body } = await used.server.ask('POST', '/webhooks', { url: receiver.url, events: ['webhook.test'] });
    await opened.open(`#/webhooks/${String(body['id'])}`, '.facts dd');
    await opened.press('Send a test event');
    await opened.page.locator('.list-rows a').click();
    await opened.page.waitForFunction(
      "document.querySelector('.page section pre') ?? (document.querySelector('.page-head button').click(), false)",
      { polling: 100 },
    );
    expect(await opened.textOf('.page section pre')).toContain(payloads[15]);
    await expectNothingInjected();
  });

  it('takes them for names of what does not exist where a link has them', async () => {
    const { page } = opened;
    for (const payload of payloads.filter((_, index) => index % 5 === 0)) {
      for (const place of [
        `#/functions/${encodeURIComponent(payload)}`,
        `#/calls?name=${encodeURIComponent(payload)}`,
        `#${payload}`,
      ]) {
        await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
        await page.waitForSelector('main .page, main .empty, main .error');
        expect(new URL(page.url()).origin).toBe(used.server.process.url);
        expect(await page.evaluate(findInjected)).toEqual([]);
      }
    }
    // Names that are not found are no fault of the page.
    expect(opened.faults().filter((fault) => !/40[04]/.test(fault))).toEqual([]);
  });
}

const findInjected = `[
  ...(globalThis.injected === undefined ? [] : ['a script has run']),
  ...[...document.querySelectorAll(${JSON.stringify(injected)})].map(({ outerHTML }) => outerHTML),
  ...[...document.scripts].filter(({ src }) => !src.startsWith(location.origin)).map(({ outerHTML }) => outerHTML),
]`;

const isShown = `[document.body, ...document.querySelectorAll('input, textarea')].some((each) =>
  /globalThis\\.injected=1|evil\\.example/.test(each.value ?? each.innerText))`;
