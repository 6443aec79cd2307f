import { beforeAll, expect, it } from 'vitest';
import type { ConsolePage } from './console-page.ts';
import type { ConsoleInUse } from './use-console.ts';

/** Tests of the dead letters of a function. */
export function deadLettersSuite(used: ConsoleInUse): void {
  let opened: ConsolePage;
  let path: string;
  const list = () => `#${path}/dead-letters`;
  const lettersOf = async (): Promise<readonly unknown[]> => {
    const { body } = await used.server.ask('GET', `/dead-letters?functionId=${path.split('/').at(-1) ?? ''}`);
    return body['data'] as readonly unknown[];
  };

  beforeAll(async () => {
    opened = await used.signedIn();
    const code = "export default () => { throw new Error('the ship has sunk'); }";
    const source = { name: 'Sail', input: { type: 'object' }, output: { type: 'object' }, code };
    path = `/functions/${String((await used.server.ask('POST', '/functions', source)).body['id'])}`;
  });

  it('are none at first', async () => {
    await opened.open(list(), '.empty');
    expect(await opened.textOf('.empty')).toContain('Nothing has failed for good');
    expect(await opened.textOf('.page-head')).not.toContain('Run all again');
  });

  it('are shown with their errors, and run again', async () => {
    const { page } = opened;
    const headers = { prefer: 'respond-async' };
    const { body } = await used.server.ask('POST', `${path}/execute`, { input: {} }, headers);
    await expect.poll(lettersOf).toEqual([expect.objectContaining({ id: body['id'] })]);
    await opened.open('#/functions', '.list-rows .row');
    await opened.open(list(), '.list-rows .row');
    expect(await opened.textOf('.list-rows')).toMatch(/function_threw: the ship has sunk.*1/);
    await opened.press('Run all again');
    await page.locator('dialog[open] .primary').click();
    await expect.poll(lettersOf).toEqual([expect.not.objectContaining({ id: body['id'] })]);
    await opened.open('#/functions', '.list-rows .row');
    await opened.open(list(), '.list-rows .row a');
    await page.locator('.list-rows .row a').click();
    await page.waitForSelector('.trace li');
    expect(opened.faults()).toEqual([]);
  });

  it('are run again, and removed, one by one', async () => {
    const { page } = opened;
    await opened.open(list(), '.list-rows .row');
    const [before] = await lettersOf();
    await page.locator('.list-rows .row ::-p-text(Run again)').click();
    await expect.poll(lettersOf).toEqual([expect.not.objectContaining({ id: Object(before).id })]);
    await opened.open('#/functions', '.list-rows .row');
    await opened.open(list(), '.list-rows .row');
    await page.locator('.list-rows .row ::-p-text(Remove)').click();
    expect(await opened.textOf('.empty')).toContain('Nothing has failed for good');
    expect(await lettersOf()).toEqual([]);
    expect(opened.faults()).toEqual([]);
  });
}
