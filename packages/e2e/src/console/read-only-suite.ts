import { expect, it } from 'vitest';
import { screens } from './screens.ts';
import type { ConsoleInUse } from './use-console.ts';

const isEnabled = `(button) => !button.disabled && !/sign out/i.test(button.textContent) && button.offsetParent !== null`;
const buttons = `[...document.querySelectorAll('main button, main summary')].filter(${isEnabled})`;

// To sign out is no change.
const submitAll = `for (const form of document.querySelectorAll('main form'))
  if (!/sign out/i.test(form.textContent)) form.requestSubmit()`;

/** Every button of every screen, pressed by a person whose key may only read functions. */
export function readOnlySuite(used: ConsoleInUse): void {
  it('sends nothing that changes something, whatever is pressed', async () => {
    const { body } = await used.server.ask('POST', '/keys', { name: 'Reader', scopes: ['functions:read'] });
    const opened = await used.signedIn(String(body['key']));
    const { page } = opened;
    const sent: string[] = [];
    page.on('request', (request) => {
      if (!['GET', 'HEAD'].includes(request.method())) sent.push(`${request.method()} ${request.url()}`);
    });
    let pressed = 0;
    for (const { hash } of screens) {
      const place = JSON.stringify(hash(used.filled));
      const show = async (): Promise<number> => {
        await page.evaluate(`location.hash = '#/'; location.hash = ${place}`);
        await page.waitForSelector('main .page, main .empty');
        await page.waitForNetworkIdle({ idleTime: 50 });
        return (await page.evaluate(`${buttons}.length`)) as number;
      };
      const count = await show();
      for (let index = 0; index < count; index += 1) {
        if (index > 0) await show();
        // A dialog asks first.
        await page.evaluate(
          `${buttons}[${index}]?.click(); document.querySelector('dialog[open] form')?.requestSubmit()`,
        );
        pressed += 1;
      }
      await page.evaluate(submitAll);
      await page.waitForNetworkIdle({ idleTime: 50 });
    }
    expect(sent).toEqual([]);
    expect(pressed).toBeGreaterThan(0);
    expect(
      await page.$$eval('nav[aria-label=Screens] a', (links) => links.map(({ textContent }) => textContent)),
    ).toEqual(['Functions', 'Connect', 'Your session']);
    // Places of screens that the key does not see.
    expect(opened.faults().filter((fault) => !fault.includes('403'))).toEqual([]);
  });
}
