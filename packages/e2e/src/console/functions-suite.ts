import { expect, it } from 'vitest';
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
    await page.locator('::-p-aria(Save)').click();
    await page.waitForSelector('.notice.done');
    await opened.open(`#/functions/${classify}/versions?version=1`, '.diff');
    expect(await opened.textOf('.diff del')).toContain('Who answers a ticket.');
    expect(await opened.textOf('.diff ins')).toContain('Which team answers a ticket.');
    await page.locator('::-p-aria(Restore)').click();
    await page.waitForSelector('[aria-label=Versions] .list-rows .row:nth-child(3)');
    const { body } = await used.server.ask('GET', `/functions/${classify}`);
    expect(body['description']).toBe('Which team answers a ticket.');
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
