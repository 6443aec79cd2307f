import { beforeAll, expect, it } from 'vitest';
import type { ConsolePage } from './console-page.ts';
import type { ConsoleInUse } from './use-console.ts';

const DAY_MS = 86_400_000;

/** Tests of what the overview and the explanation of routing show. */
export function overviewSuite(used: ConsoleInUse): void {
  let opened: ConsolePage;
  beforeAll(async () => {
    opened = await used.signedIn();
  });

  it('has the figures of the calls, and names what needs attention', async () => {
    const expiresAt = new Date(Date.now() + 3 * DAY_MS).toISOString();
    await used.server.ask('POST', '/keys', { name: 'Ends on Friday', scopes: ['models:read'], expiresAt });
    const url = 'https://hooks.example.com/paused';
    await used.server.ask('POST', '/webhooks', { url, events: ['*'], enabled: false });
    await opened.open('#/overview', '.chart canvas');
    const figures = await opened.textOf('.facts');
    expect(figures).toMatch(/Calls\d+Failed\d+ \(\d/);
    expect(figures).toMatch(/99 % took at most[\d.]+ m?s/);
    expect(await opened.textOf('.parts')).toContain('executor healthy');
    expect(await opened.page.$$('.chart canvas')).toHaveLength(3);
    const attention = await opened.textOf('.attention');
    expect(attention).toContain('Ends on Friday expires in 2 days');
    expect(attention, 'the key of a sign-in is to end soon').not.toContain('Console sign-in');
    expect(attention).toContain(`${url} is disabled`);
    expect(opened.faults()).toEqual([]);
  });

  it('explains a choice of the router, with what was learned about a function', async () => {
    await opened.open('#/models/routing', '.candidates li');
    await opened.page.waitForSelector('datalist option[value="Classify ticket"]');
    await opened.page.type('input[aria-label=Function]', 'Classify ticket');
    await opened.page.waitForSelector('.candidates svg');
    expect(await opened.textOf('.candidates svg')).toMatch(/with 95 % certainty from 0\.\d+ to/);
    expect(await opened.textOf('.candidates li')).toContain('Called first');
    expect(opened.faults()).toEqual([]);
  });
}
