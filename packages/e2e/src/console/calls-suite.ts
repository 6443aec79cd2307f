import { beforeAll, expect, it } from 'vitest';
import type { ConsolePage } from './console-page.ts';
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
