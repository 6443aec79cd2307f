import { beforeAll, expect, it } from 'vitest';
import type { ConsolePage } from './console-page.ts';
import { wide } from './keep-screenshot.ts';
import type { ConsoleInUse } from './use-console.ts';

/** Tests of the list of calls, and of what can be done with one of them. */
export function callsSuite(used: ConsoleInUse): void {
  let opened: ConsolePage;
  beforeAll(async () => {
    opened = await used.signedIn();
  });

  it('come while the list is open, and only those of its filter', async () => {
    const { page } = opened;
    await opened.open('#/calls', '.list-rows .row');
    await page.select('select[aria-label=Outcome]', 'failed');
    await page.waitForFunction("location.hash === '#/calls?outcome=failed'");
    await page.waitForFunction(
      "[...document.querySelectorAll('.list-rows .badge')].every((each) => each.textContent === 'failed')",
    );
    const before = Number.parseInt(await opened.textOf('.list-foot'), 10);
    const path = `/functions/${used.filled.summarize}/execute`;
    await used.server.ask('POST', path, { input: { text: 'It is here.' } });
    await used.server.ask('POST', path, { input: { text: '' } });
    await page.waitForFunction(`parseInt(document.querySelector('.list-foot').textContent, 10) === ${before + 1}`);
    expect(opened.faults()).toEqual([]);
  });

  it('are found by any of many functions, and by key', async () => {
    const { page } = opened;
    const { server } = used;
    const schema = { type: 'object' };
    const body = { input: schema, output: schema, code: 'export default () => ({});' };
    const { body: made } = await server.ask('POST', '/functions', { ...body, name: 'Zebra stripes' });
    for (let index = 0; index < 100; index += 1)
      await server.ask('POST', '/functions', { ...body, name: `Filler ${index}` });
    const id = String(made['id']);
    await server.ask('POST', `/functions/${id}/execute`, { input: {} });
    await opened.open('#/functions', '.list-rows .row');
    await opened.open('#/calls', '.list-rows .row');
    await page.waitForSelector('datalist option[value="Filler 0"]');
    expect(await page.$('datalist option[value="Zebra stripes"]')).toBeNull();
    await page.type('input[aria-label=Function]', 'stripes');
    await page.waitForSelector('datalist option[value="Zebra stripes"]');
    await page.keyboard.press('Enter');
    await page.waitForFunction(`location.hash === '#/calls?function=${id}'`);
    await page.waitForFunction("document.querySelector('.list-foot')?.textContent.trim() === '1 row'");
    const named = 'input[aria-label=Function]';
    await page.waitForFunction(`document.querySelector('${named}').value === 'Zebra stripes'`);
    await page.type('input[aria-label=Key]', 'no key of this name');
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).hash, 'a name without a key is no filter').toBe(`#/calls?function=${id}`);
    await page.click(named, { count: 3 });
    await page.keyboard.press('Backspace');
    await page.waitForFunction("location.hash === '#/calls'");
    expect(opened.faults()).toEqual([]);
  });

  it('have their time on small screens, and unknown names both of their buttons', async () => {
    const { page } = opened;
    await page.setViewport({ width: 390, height: 844 });
    const visible = (selector: string) =>
      page.$$eval(selector, (found) => found.map((each) => each.checkVisibility()).includes(true));
    await opened.open('#/calls', '.list-rows .row');
    expect(await visible('.list-rows time .narrow')).toBe(true);
    expect(await visible('.list-rows time .wide')).toBe(false);
    await opened.open('#/functions/names', '.list-rows .row');
    for (const name of ['Promote', 'Dismiss']) {
      const button = await page.waitForSelector(`.list-rows ::-p-text(${name})`);
      const right = await button?.evaluate((each) => each.getBoundingClientRect().right);
      expect(right).toBeLessThan(390);
    }
    await page.setViewport(wide);
    expect(opened.faults()).toEqual([]);
  });

  it('are shown with their prompt, their answer and outputs that did not fit, as text', async () => {
    await opened.open(`#/calls/${used.filled.call}`, 'section[aria-label=Content] pre');
    const content = await opened.textOf('section[aria-label=Content]');
    expect(content).toContain('What happened to my invoice?');
    expect(content).toContain('Response');
    const body = { input: { text: 'It is here.', secret: 'opensesame' }, output: { type: 'object' } };
    const { body: made } = await used.server.ask('POST', '/call/tell_of_secrets', body);
    await opened.open(`#/calls/${String(made['id'])}`, 'section[aria-label=Content] pre');
    const redacted = await opened.textOf('section[aria-label=Content]');
    expect(redacted).toContain('/request/input/secret was redacted.');
    expect(redacted).not.toContain('opensesame');
    expect(opened.faults()).toEqual([]);
  });

  it('are shown with their trace, run again with the same input, and get feedback', async () => {
    const { page } = opened;
    await opened.open(`#/calls/${used.filled.failed}`, '.trace li');
    expect(await opened.textOf('.trace')).toContain('function_threw');
    await opened.open(`#/calls/${used.filled.execution}`, '.feedback li');
    expect(await opened.textOf('section[aria-label="Input and output"]')).toContain('The parcel is late.');
    expect(await opened.textOf('section[aria-label="Call it again"] pre')).toContain(
      `${used.server.process.url}/call/Summarize`,
    );
    await opened.press('Run again');
    await page.waitForFunction(`location.hash !== '#/calls/${used.filled.execution}'`);
    await page.waitForFunction("document.querySelectorAll('.feedback li').length === 0");
    await opened.press('Give feedback');
    await page.select('dialog[open] select', '0.5');
    await page.type('dialog[open] textarea', 'Too short.');
    await page.click('dialog[open] button.primary');
    expect(await opened.textOf('.feedback li')).toContain('score 0.5 Too short.');
    expect(opened.faults()).toEqual([]);
  });
}
