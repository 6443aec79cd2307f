import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'puppeteer-core';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const run = `axe.run(document).then(({ violations }) => violations
  .filter(({ impact }) => impact === 'serious' || impact === 'critical')
  .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => [id, ...target, failureSummary].join(' | '))))`;

/** Findings of axe on a page, as far as they keep people out. It runs in a separate world, which the policy of the page does not reach. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  const session = await page.createCDPSession();
  try {
    const { frameTree } = await session.send('Page.getFrameTree');
    const world = { frameId: frameTree.frame.id, worldName: 'axe' };
    const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', world);
    await session.send('Runtime.evaluate', { expression: await readFile(axe, 'utf8'), contextId });
    const options = { expression: run, contextId, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', options);
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value as readonly string[];
  } finally {
    await session.detach();
  }
}
