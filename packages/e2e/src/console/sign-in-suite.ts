import { expect, it } from 'vitest';
import { adminKey } from '../driver/server-process.ts';
import type { ConsoleInUse } from './use-console.ts';

/** Tests of how people sign in and out. */
export function signInSuite(used: ConsoleInUse): void {
  it('works with the link that the server shows, once', async () => {
    const link = used.signInLink();
    const first = await used.signedOut();
    await first.page.goto(link);
    await first.page.waitForSelector('.desk');
    expect(first.page.url()).not.toContain('sign-in');
    expect(first.faults()).toEqual([]);
    const second = await used.signedOut();
    await second.page.goto(link);
    await second.page.waitForSelector('.notice.failed');
    await second.page.waitForSelector('.sign-in');
    expect(await second.awaitFaults()).toEqual([expect.stringContaining('401')]);
  });

  it('works with a key, stays after a reload, and ends by signing out', async () => {
    const { page, faults } = await used.signedIn();
    await page.reload();
    await page.waitForSelector('.desk');
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(await page.content()).not.toContain(adminKey);
    await page.click('.navigation footer button');
    await page.waitForSelector('.sign-in');
    expect(faults()).toEqual([]);
  });

  it('shows what the server says about a wrong key', async () => {
    const opened = await used.signedOut();
    await opened.open('', '.sign-in input');
    await opened.page.type('.sign-in input', 'no key');
    await opened.page.click('.sign-in button');
    const error = await opened.page.waitForSelector('[role=alert]');
    expect(await error?.evaluate(({ textContent }) => textContent)).toContain('invalid_token');
    expect(await opened.awaitFaults()).toEqual([expect.stringContaining('401')]);
  });
}
