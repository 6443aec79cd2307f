import { beforeAll, describe, expect, it } from 'vitest';
import { isFullSize } from '../driver/is-full-size.ts';
import { axeFindings } from './axe-findings.ts';
import type { ConsolePage } from './console-page.ts';
import { keepScreenshot, wide } from './keep-screenshot.ts';
import { screens } from './screens.ts';
import type { ConsoleInUse } from './use-console.ts';

export const themes = isFullSize ? ['light', 'dark'] : ['light'];
export const sizes = isFullSize ? [wide, { width: 390, height: 844 }] : [wide];

/** Opens every screen, in both themes and widths, with axe and a screenshot. In a small run, `payloadsSuite` opens them. */
export function screensSuite(used: ConsoleInUse): void {
  let opened: ConsolePage;

  describe.runIf(isFullSize).each(themes)('in the %s theme', (theme) => {
    beforeAll(async () => {
      opened = await used.signedIn();
    });
    describe.each(sizes)('$width wide', (size) => {
      it.each(screens)('$name opens without a fault', async ({ name, hash, ready }) => {
        const { page } = opened;
        await page.setViewport(size);
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
        await opened.open(hash(used.filled), ready);
        await keepScreenshot(page, `${name}-${theme}-${size.width}`);
        expect(await axeFindings(page)).toEqual([]);
        expect(opened.faults()).toEqual([]);
      });
    });
  });
}
