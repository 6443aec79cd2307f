import { once } from 'node:events';
import { upstreamReplies } from '@patchbay/testing';
import { expect, it } from 'vitest';
import { playedModel } from './played-model.ts';
import type { ConsoleInUse } from './use-console.ts';

/** Tests of the versions of functions, and of names without a function. */
export function functionsSuite(used: ConsoleInUse): void {
  it('a version is compared with the present one, and restored', async () => {
    const { classify } = used.filled;
    const opened = await used.signedIn();
    const { page } = opened;
    await opened.open(`#/functions/${classify}`, '.code-editor[data-ready=true]');
    await page.locator('::-p-aria(Purpose)').fill('Who answers a ticket.');
    // Unsaved work is there again after a look elsewhere.
    await opened.open('#/functions', '.list-rows .row');
    await opened.open(`#/functions/${classify}`, '.code-editor[data-ready=true]');
    await opened.press('Save');
    await page.waitForSelector('.notice.done');
    await opened.open(`#/functions/${classify}/versions?version=1`, '.diff');
    expect(await opened.textOf('.diff del')).toContain('Who answers a ticket.');
    expect(await opened.textOf('.diff ins')).toContain('Which team answers a ticket.');
    await opened.press('Restore');
    await page.waitForSelector('[aria-label=Versions] .list-rows .row:nth-child(3)');
    const { body } = await used.server.ask('GET', `/functions/${classify}`);
    expect(body['description']).toBe('Which team answers a ticket.');
    expect(opened.faults()).toEqual([]);
  });

  it('code that runs shows its logs as they come, and is stopped', async () => {
    const schema = { type: 'object' };
    const code = `export default async () => {
  console.log('it has begun');
  await new Promise((resolve) => setTimeout(resolve, 600_000));
  return {};
}`;
    const { body } = await used.server.ask('POST', '/functions', { name: 'Wait', input: schema, output: schema, code });
    const opened = await used.signedIn();
    const { page } = opened;
    await opened.open(`#/functions/${String(body['id'])}`, '.code-editor[data-ready=true]');
    await opened.press('Run');
    expect(await opened.textOf('.log li')).toContain('it has begun');
    await opened.press('Stop');
    await page.waitForFunction("document.querySelector('.run .badge').textContent === 'cancelled'");
    // Code that is not saved runs without an execution.
    await page.locator('::-p-aria(Purpose)').fill('Waits.');
    await page.locator('.try-it textarea').fill('{ "but": "not for long" }');
    await opened.press('Run');
    await page.waitForSelector('.log li');
    expect(await opened.textOf('.log')).toContain('it has begun');
    await opened.press('Stop');
    await page.waitForFunction("document.querySelector('.run .badge').textContent === 'stopped'");
    expect(await page.$eval('.try-it textarea', ({ value }) => value)).toContain('not for long');
    expect(opened.faults()).toEqual([]);
  });

  it('a generator shows each output that it yields, and its logs as they come', async () => {
    const counts = { type: 'object', properties: { done: { type: 'integer' } } };
    const code = `export default async function* ({ fails = false }) {
  console.log('it counts');
  yield { done: 1 };
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  if (fails) throw new Error('the second one is missing');
  return { done: 2 };
}`;
    const input = { type: 'object', properties: { fails: { type: 'boolean' } } };
    const given = { name: 'Count slowly', input, output: counts, code };
    const { body } = await used.server.ask('POST', '/functions', given);
    const opened = await used.signedIn();
    const { page } = opened;
    const untilOutput = (text: string) =>
      page.waitForFunction(`document.querySelector('.run .code')?.textContent.includes('"done": ${text}')`);
    await opened.open(`#/functions/${String(body['id'])}`, '.code-editor[data-ready=true]');
    await opened.press('Run');
    await untilOutput('1');
    expect(await opened.textOf('.run')).toMatch(/^running.*it counts/s);
    await untilOutput('2');
    expect(await opened.textOf('.run')).toMatch(/^completed.*it counts/s);
    await page.select('.try-it select', 'true');
    await opened.press('Run');
    await untilOutput('1');
    expect(await opened.textOf('.try-it .error')).toContain('the second one is missing');
    expect(await opened.textOf('.run .badge')).toBe('failed');
    expect(opened.faults()).toEqual([]);
  });

  it('code that fails shows its error with the code, and its logs, saved or not', async () => {
    const code = "export default () => { console.log('it sails'); throw new Error('the ship has sunk'); };";
    const schema = { type: 'object' };
    const { body } = await used.server.ask('POST', '/functions', { name: 'Sink', input: schema, output: schema, code });
    const opened = await used.signedIn();
    const { page } = opened;
    await opened.open(`#/functions/${String(body['id'])}`, '.code-editor[data-ready=true]');
    await opened.press('Run');
    expect(await opened.textOf('.run .error')).toMatch(/the ship has sunk.*function_threw.*function\.js/s);
    expect(await opened.textOf('.run')).toMatch(/^failed.*Trace.*it sails/s);
    await page.locator('::-p-aria(Purpose)').fill('Sinks.');
    await page.waitForSelector('.try-it > .quiet');
    await opened.press('Run');
    expect(await opened.textOf('.try-it form .error')).toMatch(/the ship has sunk.*function_failed.*request_/s);
    expect(await opened.textOf('.run')).toMatch(/^failed.*it sails/s);
    expect(opened.faults()).toEqual([]);
  });

  it('a model that answers a function is stopped, and its answers lead to their traces', async () => {
    const { classify } = used.filled;
    const opened = await used.signedIn();
    const { page } = opened;
    used.openai.script(upstreamReplies.hang());
    used.anthropic.script(upstreamReplies.hang());
    await opened.open(`#/functions/${classify}`, '.code-editor[data-ready=true]');
    await page.locator('.try-it textarea').fill('I paid twice.');
    const asked = Promise.race([used.openai.nextRequest(), used.anthropic.nextRequest()]);
    await opened.press('Run');
    const { closed } = await asked;
    await opened.press('Stop');
    await page.waitForFunction("document.querySelector('.run .badge').textContent === 'stopped'");
    if (!closed.aborted) await once(closed, 'abort');
    used.openai.script(playedModel());
    used.anthropic.script(playedModel());
    await opened.press('Run');
    await page.locator('.run a').click();
    await page.waitForSelector('.trace li');
    expect(await opened.textOf('h1')).toContain('Classify ticket');
    expect(opened.faults()).toEqual([]);
  });

  it('an unknown name becomes a function', async () => {
    await used.server.ask('POST', '/call/translate_menu', { input: { menu: 'soup' }, output: { type: 'object' } });
    const opened = await used.signedIn();
    await opened.open('#/functions/names', '.list-rows .row');
    await opened.page.locator('.row ::-p-text(Promote)').click();
    await opened.page.waitForSelector('.tabs');
    expect(await opened.textOf('h1')).toContain('translate_menu');
    expect(opened.faults()).toEqual([]);
  });
}
