import { expect, it } from 'vitest';
import { isFullSize } from '../driver/is-full-size.ts';
import type { ConsoleInUse } from './use-console.ts';

const OPENINGS = 5;
const FIRST_SCREEN_MS = 1_000;

const noteFirstRow = `new MutationObserver((_, observer) => {
  if (document.querySelector('.list-rows .row') === null) return;
  globalThis.firstRowMs = performance.now();
  observer.disconnect();
}).observe(document, { subtree: true, childList: true })`;

/** Tests of how soon the console is there. */
export function speedSuite(used: ConsoleInUse): void {
  it.runIf(isFullSize)('shows its first screen within a second of opening, with nothing in the cache', async () => {
    const { page, faults } = await used.signedIn();
    await page.setCacheEnabled(false);
    await page.evaluateOnNewDocument(noteFirstRow);
    const took: number[] = [];
    for (let opening = 0; opening < OPENINGS; opening += 1) {
      await page.goto('about:blank');
      await page.goto(`${used.server.process.url}/console#/functions`, { waitUntil: 'domcontentloaded' });
      await page.waitForFunction('globalThis.firstRowMs !== undefined');
      took.push(Number(await page.evaluate('firstRowMs')));
    }
    const median = took.toSorted((a, b) => a - b)[OPENINGS >> 1] ?? Number.NaN;
    console.log(`first screen after ${took.map(Math.round).join(', ')} ms`);
    expect(median).toBeLessThan(FIRST_SCREEN_MS);
    expect(faults()).toEqual([]);
  });
}
