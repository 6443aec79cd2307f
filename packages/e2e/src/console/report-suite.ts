import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { caseReports, type Evaluation, RunState, reportOf, reportPage } from '@patchbay/eval';
import { afterAll, expect, it } from 'vitest';
import { newFolder } from '../driver/run-server.ts';
import { openConsolePage } from './console-page.ts';
import type { ConsoleInUse } from './use-console.ts';

const hostile = `"'><script>alert(1)</script><img src="http://127.0.0.1:9/x" onerror="alert(2)"><style>*{display:none}</style>`;

/** A run of two variants, in which every text wants to be more than a text. */
function hostileRun(): { readonly evaluation: Evaluation; readonly state: RunState } {
  const grade = () => Promise.reject(new Error('is graded already'));
  const evaluation: Evaluation = {
    function: { id: 'function_1', name: hostile, version: 1 },
    variants: [{ model: hostile }, { model: `other ${hostile}` }],
    cases: [0, 1].map((index) => ({
      id: `${index} ${hostile}`,
      input: { text: hostile },
      checks: [{ name: hostile, expectation: hostile, grade }],
    })),
  };
  const state = new RunState();
  for (const [index, { id }] of evaluation.cases.entries()) {
    const head = { type: 'ended', execution: 'execution_1', settingsVersion: 1, durationMs: 1, cost: 1_000 } as const;
    const passed = { name: hostile, score: 1, passed: true, reason: hostile };
    state.take({ ...head, cell: `0 ${id}`, answer: { output: { text: hostile } }, verdicts: [passed] });
    const answer = index === 0 ? { output: hostile } : { error: { code: hostile, message: hostile } };
    state.take({ ...head, cell: `1 ${id}`, answer, verdicts: [{ name: hostile, noVote: hostile }] });
  }
  return { evaluation, state };
}

export function reportSuite(used: ConsoleInUse): void {
  const folder = newFolder();
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('shows whatever models and cases say as text, and asks for nothing', async () => {
    const { evaluation, state } = hostileRun();
    const file = join(folder, 'report.html');
    writeFileSync(file, reportPage(reportOf(evaluation, state), caseReports(evaluation, state)));
    // The origin of files.
    const { page, faults } = await openConsolePage(await used.browser.createBrowserContext(), 'null');
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    await page.goto(pathToFileURL(file).href);
    const count = async (selector: string): Promise<number> => (await page.$$(selector)).length;
    expect([await count('script'), await count('img'), await count('head style'), await count('body style')]).toEqual([
      0, 0, 1, 0,
    ]);
    expect([await count('svg .range'), await count('details'), await count('tbody tr')]).toEqual([1, 2, 2]);
    expect(await page.$eval('h1', ({ textContent }) => textContent)).toBe(`Evaluation of ${hostile}`);
    expect(await page.$eval('details', ({ textContent }) => textContent)).toContain(`${hostile}: no vote: ${hostile}`);
    // The policy lets its style through.
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(17, 17, 19)');
    expect(faults()).toEqual([]);
  });
}
