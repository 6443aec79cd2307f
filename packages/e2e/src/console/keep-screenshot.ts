import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page, Viewport } from 'puppeteer-core';
import { isFullSize } from '../driver/is-full-size.ts';

const folder = fileURLToPath(new URL('../../screenshots/', import.meta.url));

/** The size of a screen on a desk. */
export const wide: Viewport = { width: 1440, height: 900 };

/** Leave a picture of a page in `packages/e2e/screenshots`, at full size of the tests only. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (!isFullSize) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: `${folder}${name}.png` });
}
