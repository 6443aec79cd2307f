import { beforeAll, expect, it } from 'vitest';
import type { ConsolePage } from './console-page.ts';
import type { ConsoleInUse } from './use-console.ts';

/** Tests of the schedules of a function. */
export function schedulesSuite(used: ConsoleInUse): void {
  let opened: ConsolePage;
  beforeAll(async () => {
    opened = await used.signedIn();
  });
  const list = () => `#/functions/${used.filled.summarize}/schedules`;
  /** Press `Reload` until a run has this status. */
  const untilRun = async (status: string): Promise<void> => {
    const reload = "document.querySelector('.page-head button').click()";
    const found = `[...document.querySelectorAll('.list-rows .badge')].some((each) => each.textContent === '${status}')`;
    await opened.page.waitForFunction(`${found} || (${reload}, false)`, { polling: 100 });
  };

  it('are created where their times and input can be read, and else refused beside the field', async () => {
    const { page } = opened;
    await opened.open(list(), '.list-rows .row');
    await page.locator('::-p-aria(New schedule)').click();
    await page.locator('input[name=name]').fill('nightly');
    await page.locator('input[name=cron]').fill('61 3 * * *');
    await page.locator('textarea[name=input]').fill('{ "text": 1 }');
    await opened.press('Create the schedule');
    await page.waitForSelector('input[name=cron][aria-invalid=true] + .fault');
    await page.locator('input[name=cron]').fill('0 3 * * *');
    await page.locator('input[name=timezone]').fill('Europe/Zurich');
    await opened.press('Create the schedule');
    await page.waitForSelector('textarea[name=input][aria-invalid=true] + .fault');
    await page.locator('textarea[name=input]').fill('{ "text": "Night. All is quiet." }');
    await opened.press('Create the schedule');
    await page.waitForSelector('.next-times li:nth-child(5)');
    expect(await opened.textOf('.facts')).toMatch(/nightly.*active.*0 3 \* \* \* \(Europe\/Zurich\)/);
    expect(await opened.textOf('.next-times time')).toMatch(/0{2}/);
    expect(opened.faults()).toEqual([expect.stringContaining('400'), expect.stringContaining('422')]);
  });

  it('are run, changed, paused, resumed and deleted', async () => {
    const { page } = opened;
    const given = { name: 'short', every: '1h', input: { text: 'It is late. Go home.' } };
    const { status } = await used.server.ask('POST', `/functions/${used.filled.summarize}/schedules`, given);
    expect(status).toBe(201);
    await opened.open('#/functions', '.list-rows .row');
    await opened.open(list(), '.list-rows .row');
    await page.locator('.row ::-p-text(short)').click();
    await page.waitForSelector('.next-times li');
    await opened.press('Run now');
    await page.waitForSelector('.list-rows .row');
    await untilRun('completed');
    await opened.press('Edit');
    await page.locator('dialog[open] input[name=cron]').fill('');
    await page.locator('dialog[open] input[name=every]').fill('2h');
    await page.select('dialog[open] select[name=overlap]', 'allow');
    await page.locator('dialog[open] .primary').click();
    await page.waitForFunction("document.querySelector('.facts').textContent.includes('every 2h')");
    expect(await opened.textOf('.facts')).toContain('run both');
    await opened.press('Pause');
    await page.waitForSelector('.facts .badge.warn');
    expect(await opened.textOf('section[aria-label="Next times"] h2')).toBe('Next times, if it were resumed now');
    await opened.press('Resume');
    await page.locator('dialog[open] .primary').click();
    await page.waitForSelector('.facts .badge.good');
    await page.locator('.list-rows .row a').click();
    await page.waitForSelector('.trace li');
    expect(await opened.textOf('h1')).toContain('Summarize text');
    await page.goBack();
    await page.waitForSelector('.next-times li');
    await opened.press('Delete');
    await page.locator('dialog[open] .primary').click();
    await page.waitForFunction(`location.hash === '${list()}'`);
    await page.waitForSelector('.list-rows .row');
    expect(await opened.textOf('.list-rows')).not.toContain('short');
    expect(opened.faults()).toEqual([]);
  });
}
