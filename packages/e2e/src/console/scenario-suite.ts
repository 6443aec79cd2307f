import { expect, it } from 'vitest';
import { type ConsolePage, textOf } from './console-page.ts';
import { keepScreenshot, wide } from './keep-screenshot.ts';
import type { ConsoleInUse } from './use-console.ts';

const wrong = 'export default ({ text }: { text: string }) => ({ words: txt.length });';
const right = `export default ({ text }) => {
  console.log('counting');
  return { words: text.split(' ').length };
};`;

/** A person's first hour, in one session. */
export function scenarioSuite(used: ConsoleInUse): void {
  it('a person writes, tries and runs a function, reads its trace, asks two models, scores an answer, and revokes the key', async () => {
    const { body } = await used.server.ask('POST', '/keys', { name: 'Ada', scopes: ['*'] });
    const opened = await used.signedIn(String(body['key']));
    await writeFunction(opened);
    await runFunction(opened);
    await askTwoModels(used, opened);
    await scoreAnswer(used, opened);
    await revokeKey(opened, String(body['id']));
    expect(opened.faults()).toEqual([]);
  });
}

/** Write it, correct it where the server says, and try it before it is saved. */
async function writeFunction(opened: ConsolePage): Promise<void> {
  const { page } = opened;
  await opened.open('#/functions/new', '.code-editor[data-ready=true]');
  await opened.press('Save');
  await page.waitForSelector('[aria-invalid=true] + .fault');
  expect(await opened.awaitFaults()).toEqual([expect.stringContaining('400')]);
  await page.locator('.function-names input').fill('Count words');
  await writeCode(opened, wrong);
  await opened.press('Save');
  await page.waitForSelector('.code-editor >>> .cm-lint-marker-error');
  expect(await textOf(opened, '.function-editor .error')).toContain("Cannot find name 'txt'");
  expect(await opened.awaitFaults()).toEqual([expect.stringContaining('422')]);
  await writeCode(opened, right);
  await page.locator('.try-it textarea').fill('one two three');
  await opened.press('Run');
  await page.waitForSelector('.run .badge.good');
  expect(await textOf(opened, '.run')).toMatch(/counting.*"words": 3/s);
}

/** Save it, run it with its logs, and look at the trace. */
async function runFunction(opened: ConsolePage): Promise<void> {
  const { page } = opened;
  await opened.press('Save');
  await page.waitForSelector('.tabs');
  // The input from before the function was saved is still there.
  await page.waitForFunction("document.querySelector('.try-it textarea').value === 'one two three'");
  await page.locator('.try-it textarea').fill('one two');
  await opened.press('Run');
  const trace = await page.waitForSelector('.run a');
  expect(await textOf(opened, '.run')).toMatch(/counting.*"words": 2/s);
  await trace?.click();
  await page.waitForSelector('.trace li');
  expect(await textOf(opened, 'h1')).toContain('Count words');
  expect(opened.faults()).toEqual([]);
}

/** Each answers with its cost, and the next question goes with both answers. */
async function askTwoModels({ openai, anthropic }: ConsoleInUse, opened: ConsolePage): Promise<void> {
  const { page } = opened;
  await page.setViewport(wide);
  await opened.open('#/playground', '.composer');
  await opened.press('Add a model');
  await page.waitForSelector('[aria-label="Model 2"] option:nth-child(2)');
  await page.select('[aria-label="Model 1"]', 'openai/gpt-4.1');
  await page.select('[aria-label="Model 2"]', 'anthropic/claude-opus-5-5');
  for (const [index, question] of ['Where is my invoice?', 'And the second one?'].entries()) {
    await dropImage(opened);
    await page.locator('::-p-aria(Message)').fill(question);
    await page.keyboard.press('Enter');
    await page.waitForSelector(`.turns:has(.turn:nth-child(${index + 1})) + .composer .primary`);
  }
  expect(await page.$$eval('.answer', (all) => all.map(({ textContent }) => textContent))).toEqual(
    Array.from({ length: 4 }, () =>
      expect.stringMatching(/The invoice was sent twice.*completed.*Tokens\d+Cost\$0\.0/),
    ),
  );
  await keepScreenshot(page, 'answers-light-1440');
  for (const upstream of [openai, anthropic]) {
    const sent = upstream.requests.at(-1)?.body ?? '';
    expect(sent.split(btoa('an image'))).toHaveLength(3);
    expect(sent.indexOf('Where is my invoice?')).toBeLessThan(sent.indexOf('The invoice was sent twice'));
    expect(sent.indexOf('The invoice was sent twice')).toBeLessThan(sent.indexOf('And the second one?'));
  }
  expect(opened.faults()).toEqual([]);
}

/** A score from a trace moves the experiment of a function, and what the router believes about a model. */
async function scoreAnswer({ server, filled }: ConsoleInUse, opened: ConsolePage): Promise<void> {
  const { page } = opened;
  const experiment = `#/functions/${filled.classify}/experiments`;
  await opened.open(experiment, '.bars');
  const before = await textOf(opened, '.bars');
  const input = { text: 'It is late.' };
  const executed = await server.ask('POST', `/functions/${filled.classify}/execute`, { input });
  await giveFeedback(opened, String(executed.body['id']));
  await opened.open(experiment, '.bars');
  expect(await textOf(opened, '.bars')).not.toBe(before);

  const output = { type: 'object', properties: { label: { type: 'string' } }, required: ['label'] };
  const called = await server.ask('POST', '/call/sort_letter', { input, output });
  await opened.open('#/models/routing?function=sort_letter', '.candidates li');
  expect(await page.$('.interval')).toBeNull();
  await giveFeedback(opened, String(called.body['id']));
  await opened.open('#/models/routing?function=sort_letter', '.candidates li');
  const askAgain = "document.querySelector('.filters button').click()";
  await page.waitForFunction(`document.querySelector('.interval') !== null || void ${askAgain}`, { polling: 500 });
  expect(await textOf(opened, '.interval title')).toContain('by 1 scores');
  expect(opened.faults()).toEqual([]);
}

async function giveFeedback(opened: ConsolePage, id: string): Promise<void> {
  await opened.open(`#/calls/${id}`, '.trace li');
  await opened.press('Give feedback');
  await opened.page.locator('dialog[open] .primary').click();
  await opened.page.waitForSelector('.feedback li');
}

/** Who revokes the key of the session is signed out. */
async function revokeKey(opened: ConsolePage, id: string): Promise<void> {
  await opened.open(`#/keys/${id}`, '.facts');
  await opened.press('Revoke');
  await opened.page.locator('dialog[open] .primary').click();
  await opened.page.waitForSelector('.sign-in');
}

async function dropImage({ page }: ConsolePage): Promise<void> {
  await page.evaluate(`(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['an image'], 'dot.png', { type: 'image/png' }));
    document.querySelector('.composer').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }));
  })()`);
  await page.waitForSelector('.attachments img');
}

/** Replace the code in the editor, as by pasting. */
async function writeCode({ page }: ConsolePage, code: string): Promise<void> {
  await page.locator('.code-editor >>> .cm-content').click();
  await page.keyboard.down('Control');
  await page.keyboard.press('a');
  await page.keyboard.up('Control');
  await page.keyboard.sendCharacter(code);
}
