import { once } from 'node:events';
import { upstreamReplies } from '@patchbay/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ConsolePage } from './console-page.ts';
import { playedModel } from './played-model.ts';
import type { ConsoleInUse } from './use-console.ts';

const label = { type: 'object', properties: { label: { enum: ['billing', 'shipping'] } }, required: ['label'] };
const weather = { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } };

/** Tests of conversations and functions that models answer side by side. */
export function playgroundSuite(used: ConsoleInUse): void {
  let opened: ConsolePage;
  beforeEach(async () => {
    opened = await used.signedIn();
  });
  afterEach(() => {
    used.openai.script(playedModel());
    used.anthropic.script(playedModel());
  });

  /** Open the chat with one model of OpenAI. */
  const openChat = async (): Promise<void> => {
    await opened.open('#/playground', '[aria-label="Model 1"] option:nth-child(2)');
    await opened.page.select('[aria-label="Model 1"]', 'openai/gpt-4.1');
  };
  const setOption = async (name: string, text: string): Promise<void> => {
    await opened.page.$eval('.chat-options', (details) => details.setAttribute('open', ''));
    await opened.page.locator(`::-p-aria(${name})`).fill(text);
  };
  const ask = async (message: string): Promise<void> => {
    await opened.page.locator('::-p-aria(Message)').fill(message);
    await opened.press('Send');
  };
  const answered = (turns: number): Promise<unknown> =>
    opened.page.waitForSelector(`.turn:nth-child(${turns}) .answer:not([aria-busy=true]) a`);

  it('show what an answer costs and takes while it is written, and then the figures of the server', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    used.openai.script(upstreamReplies.pausedMidStream({ text: 'The invoice was sent twice.' }, promise));
    await openChat();
    await ask('Where is my invoice?');
    await opened.page.waitForSelector('.answer[aria-busy=true] .measures div:nth-child(4)');
    expect(await opened.textOf('.answer')).toMatch(
      /^The invoice was\s?First output\d+ m?s.*Tokensabout \d+Costabout \$0\.000\d+$/,
    );
    resolve();
    await answered(1);
    expect(await opened.textOf('.answer')).toMatch(
      /^The invoice was sent twice\.Outcomecompleted.*Tokens18Cost\$0\.0000\d+Trace$/,
    );
    expect(opened.faults()).toEqual([]);
  });

  it('a new conversation is empty, also where the last answer was still being written', async () => {
    used.openai.script(upstreamReplies.hangMidStream({ text: 'It is on its way.' }));
    await openChat();
    await ask('Where is my parcel?');
    await opened.page.waitForSelector('.answer pre');
    await opened.press('New conversation');
    await opened.page.waitForSelector('.turns .empty');
    used.openai.script(playedModel());
    await ask('Where is my invoice?');
    await answered(1);
    expect(await opened.textOf('.turns')).not.toContain('parcel');
    expect(used.openai.requests.at(-1)?.body).not.toContain('parcel');
    expect(opened.faults()).toEqual([]);
  });

  it('a model calls a declared tool, and goes on with the result that the person writes', async () => {
    used.openai.script(
      upstreamReplies.healthy({ toolCalls: [{ name: 'weather', arguments: { city: 'Bern' } }] }),
      upstreamReplies.healthy({ text: 'Take a coat.' }),
    );
    await openChat();
    await setOption('Tools', JSON.stringify([weather]));
    await ask('What do I wear in Bern?');
    // Its arguments come later than its name.
    await opened.page.waitForSelector('::-p-text(Calls weather({"city":"Bern"}))');
    await opened.page.locator('::-p-aria(Result of weather)').fill('Snow, 2 degrees');
    await opened.press('Send');
    await answered(2);
    expect(await opened.textOf('.turn:nth-child(2) .answer pre')).toBe('Take a coat.');
    const sent = used.openai.requests.at(-1)?.body ?? '';
    expect(sent).toContain('Snow, 2 degrees');
    expect(sent.match(/"role":"user"/g)).toHaveLength(1);
    expect(opened.faults()).toEqual([]);
  });

  it('a model that called no tool is not asked when only results are sent', async () => {
    used.openai.script(upstreamReplies.healthy({ toolCalls: [{ name: 'weather', arguments: { city: 'Bern' } }] }));
    await openChat();
    await opened.press('Add a model');
    await opened.page.select('[aria-label="Model 2"]', 'anthropic/claude-opus-5-5');
    await setOption('Tools', JSON.stringify([weather]));
    const before = used.anthropic.requests.length;
    await ask('What do I wear in Bern?');
    await opened.page.waitForSelector('.composer .primary');
    used.openai.script(upstreamReplies.healthy({ text: 'Take a coat.' }));
    await opened.page.locator('::-p-aria(Result of weather)').fill('Snow');
    await opened.press('Send');
    await answered(2);
    expect(await opened.textOf('.turn:nth-child(2) .columns > article:nth-child(2)')).toContain('Not asked');
    await ask('And in Rome?');
    await opened.page.waitForSelector('.turn:nth-child(3) .columns > article:nth-child(2) .answer a');
    expect(used.anthropic.requests.length - before).toBe(2);
    expect(used.anthropic.requests.at(-1)?.body.match(/"role":"user"/g)).toHaveLength(2);
    expect(opened.faults()).toEqual([]);
  });

  it('answers are compared with a schema while they are written, and when they have ended', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const paused = upstreamReplies.pausedMidStream({ text: '{ "label": "billing" }' }, promise);
    used.openai.script(paused, upstreamReplies.healthy({ text: '{ "label": "returns" }' }));
    await openChat();
    await setOption('Schema of the answer', JSON.stringify(label));
    await ask('I paid twice.');
    await opened.page.waitForSelector('.answer[aria-busy=true] .validity');
    expect(await opened.textOf('.validity')).toMatch(/ so far/);
    resolve();
    await answered(1);
    expect(await opened.textOf('.validity')).toContain('fits the schema');
    await ask('I send it back.');
    await answered(2);
    expect(await opened.textOf('.turn:nth-child(2) .validity')).toBe(
      'does not fit the schema /label is not "billing" or "shipping"',
    );
    expect(opened.faults()).toEqual([]);
  });

  it('a schema that is no JSON is marked, and the message stays', async () => {
    await openChat();
    await setOption('Schema of the answer', '{');
    const before = used.openai.requests.length;
    await ask('I paid twice.');
    expect(await opened.textOf('.notice.failed')).toBe('Schema of the answer: this is not valid JSON');
    expect(await opened.textOf('.chat-options .fault')).toBe('This is not valid JSON.');
    expect(await opened.page.$eval('.composer textarea', ({ value }) => value)).toBe('I paid twice.');
    expect(used.openai.requests.length).toBe(before);
    expect(opened.faults()).toEqual([]);
  });

  it('a chat becomes a function with its prompt, model and schema', async () => {
    const { page } = opened;
    await openChat();
    await setOption('System prompt', 'You sort letters.');
    await setOption('Schema of the answer', JSON.stringify({ ...label, type: 'array' }));
    await setOption('Temperature', '0.5');
    await opened.press('Save as function');
    await page.locator('dialog[open] input').fill('Sort a letter');
    await page.locator('dialog[open] .primary').click();
    expect(await opened.textOf('dialog[open] .error')).toContain('/output');
    expect(opened.faults()).toEqual([expect.stringContaining('422')]);
    await page.locator('dialog[open] .plain').click();
    await setOption('Schema of the answer', JSON.stringify(label));
    await opened.press('Save as function');
    await page.locator('dialog[open] .primary').click();
    expect(await opened.textOf('[aria-label="Views of Sort a letter"]')).toContain('Settings');
    const id = page.url().split('/').at(-1);
    const { body } = await used.server.ask('GET', `/functions/${id}/settings`);
    expect(body).toMatchObject({ model: 'openai/gpt-4.1', system: 'You sort letters.', temperature: 0.5 });
    await page.locator('.try-it textarea').fill('I paid twice.');
    used.openai.script(upstreamReplies.healthy({ text: '{"label":"billing"}' }));
    await opened.press('Run');
    await page.waitForSelector('.run .badge.good');
    expect(await opened.textOf('.run')).toContain('"label": "billing"');
    expect(used.openai.requests.at(-1)?.body).toContain('You sort letters.');
    expect(opened.faults()).toEqual([]);
  });

  it('a function is answered by two models from the same input', async () => {
    const { page } = opened;
    const { promise, resolve } = Promise.withResolvers<void>();
    const ticket = JSON.stringify({ label: 'billing', urgent: true, reason: 'The customer was charged twice.' });
    used.openai.script(upstreamReplies.pausedMidStream({ text: ticket }, promise));
    await opened.open('#/playground/function?name=Classify+ticket', '.workbench form');
    await opened.press('Add a model');
    await page.waitForSelector('[aria-label="Model 2"] option:nth-child(2)');
    await page.select('[aria-label="Model 1"]', 'openai/gpt-4.1');
    await page.select('[aria-label="Model 2"]', 'anthropic/claude-opus-5-5');
    await page.locator('.workbench form textarea').fill('I paid twice.');
    await opened.press('Ask');
    await page.waitForSelector('.columns > article:nth-child(2) .answer:not([aria-busy=true]) a');
    await page.waitForSelector('.columns > article:nth-child(1) .answer[aria-busy=true] .validity');
    expect(await opened.textOf('.columns > article:nth-child(1) .validity')).toContain('fits the schema so far');
    expect(await opened.textOf('.columns > article:nth-child(1) .measures')).toMatch(/Costabout \$0\.000/);
    resolve();
    await page.waitForSelector('.columns > article:nth-child(1) .answer:not([aria-busy=true]) a');
    const texts = await page.$$eval('.answer', (all) => all.map(({ textContent }) => textContent));
    expect(texts).toEqual(
      Array.from({ length: 2 }, () =>
        expect.stringMatching(/"label": "billing".*Outcomecompleted.*fits the schema.*Cost\$0\.0/s),
      ),
    );
    expect(opened.faults()).toEqual([]);
  });

  it('a function is found by words of its name', async () => {
    const { page } = opened;
    await opened.open('#/playground/function?name=Summarize+text', '.workbench form');
    await page.waitForSelector('datalist option');
    await page.locator('.workbench input[type=search]').fill('ticket');
    await page.waitForSelector('datalist option[value="Classify ticket"]:only-child');
    await page.locator('.workbench input[type=search]').fill('Classify ticket');
    await page.waitForFunction("location.hash.endsWith('name=Classify+ticket')");
    await page.waitForFunction("document.querySelector('.workbench form').textContent.includes('What to work on.')");
    expect(opened.faults()).toEqual([]);
  });

  it('the answers of a function are stopped, and can be asked for again', async () => {
    const { page } = opened;
    used.openai.script(upstreamReplies.hang());
    await opened.open('#/playground/function?name=Classify+ticket', '.workbench form');
    await page.waitForSelector('[aria-label="Model 1"] option:nth-child(2)');
    await page.select('[aria-label="Model 1"]', 'openai/gpt-4.1');
    await page.locator('.workbench form textarea').fill('I paid twice.');
    await opened.press('Ask');
    await opened.press('Stop');
    expect(await opened.textOf('.answer .error')).toContain('stopped');
    const asked = used.openai.requests.at(-1);
    if (asked && !asked.closed.aborted) await once(asked.closed, 'abort');
    used.openai.script(playedModel());
    await opened.press('Ask');
    await page.waitForSelector('.answer:not([aria-busy=true]) a');
    expect(opened.faults()).toEqual([]);
  });
}
