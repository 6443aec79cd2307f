// `npm run screenshots`: those of the guide of the console, from those that `npm run test:console` has left.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { openBrowser } from '../src/console/open-browser.ts';

const taken = fileURLToPath(new URL('../screenshots/', import.meta.url));
const shown = fileURLToPath(new URL('../../../docs/images/console/', import.meta.url));

const names = ['overview', 'function', 'answers', 'call', 'routing', 'usage'];

/** Each is loaded by everybody who reads the page. */
const MOST_BYTES = 40_000;
const qualities = [90, 80, 70, 60, 50, 40];

const browser = await openBrowser();
try {
  const page = await browser.newPage();
  await page.setViewport({ width: 1080, height: 675 });
  await mkdir(shown, { recursive: true });
  for (const name of names) {
    const png = await readFile(`${taken}${name}-light-1440.png`, 'base64');
    await page.setContent(`<body style="margin: 0"><img width="1080" src="data:image/png;base64,${png}">`);
    const webp = await smallEnough(async (quality) => await page.screenshot({ type: 'webp', quality }));
    await writeFile(`${shown}${name}.webp`, webp);
    console.log(`${name}: ${webp.length} B`);
  }
} finally {
  await browser.close();
}

async function smallEnough(take: (quality: number) => Promise<Uint8Array>): Promise<Uint8Array> {
  for (const quality of qualities) {
    const image = await take(quality);
    if (image.length <= MOST_BYTES) return image;
  }
  throw new Error(`larger than ${MOST_BYTES} B`);
}
