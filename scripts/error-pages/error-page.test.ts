import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ErrorCode, errorCodes } from '@patchbay/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { withPart } from '../marked-part.ts';
import { collectExamples } from './collect-examples.ts';
import { errorGroups } from './error-groups.ts';
import { type ErrorText, readErrorTexts } from './error-texts.ts';
import type { Example } from './example.ts';

// `vitest run scripts/error-pages -u` writes the page again.

const standard = new Set(['type', 'title', 'status', 'detail', 'instance', 'code', 'requestId', 'retryable']);
const texts = readErrorTexts();
const entries = Object.values(texts).flatMap((group) => Object.entries(group)) as [ErrorCode, ErrorText][];

describe('the texts of errors.yaml', () => {
  it('cover every code once, and no other', () => {
    expect(entries.map(([code]) => code).toSorted()).toEqual(Object.keys(errorCodes).toSorted());
  });

  it.each(entries)('describe %s: what happened, what to do, and related codes', (code, text) => {
    expect(text.happened).toMatch(/\.$/);
    expect(text.why.length).toBeGreaterThan(40);
    expect(text.fix.length).toBeGreaterThan(0);
    // An entry with an unquoted colon is a map to YAML.
    for (const entry of [...text.fix, ...(text.operator ?? [])]) expect(entry).toBeTypeOf('string');
    expect(text.related.filter((each) => each === code || !Object.hasOwn(errorCodes, each))).toEqual([]);
    // Operators paged by a failure of the server or its dependencies need a next step.
    const isOurs = errorCodes[code].status >= 500 && text.seen === undefined;
    expect(isOurs && text.operator === undefined).toBe(false);
  });
});

it('the API reference of a server explains the same codes', async () => {
  const file = fileURLToPath(
    new URL('../../packages/http/src/reference/page/error-explanations.generated.json', import.meta.url),
  );
  const explanations = entries.map(([code, { why, fix, operator }]) => [
    code,
    { why: withoutLinks(why), fix: fix.map(withoutLinks), ...(operator && { operator: operator.map(withoutLinks) }) },
  ]);
  await expect(`${JSON.stringify(Object.fromEntries(explanations), undefined, 2)}\n`).toMatchFileSnapshot(file);
});

/** The pages that they lead to are not on a server. */
const withoutLinks = (text: string): string => text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').trim();

describe('docs/reference/errors.md', () => {
  let examples: ReadonlyMap<ErrorCode, Example>;
  beforeAll(async () => {
    examples = await collectExamples();
  });

  it.each(entries)('shows %s as a running server responds with it', (code, text) => {
    expect(faultsOf(code, text, examples.get(code))).toEqual([]);
  });

  it('matches the texts and the running server', async () => {
    const file = fileURLToPath(new URL('../../docs/reference/errors.md', import.meta.url));
    const page = withPart(readFileSync(file, 'utf8'), 'codes', await errorGroups(texts, examples));
    await expect(page).toMatchFileSnapshot(file);
  });
});

/** Why an example is none of the code. */
function faultsOf(code: ErrorCode, { seen, members = {} }: ErrorText, example: Example | undefined): readonly string[] {
  if (seen === 'log') return [];
  if (seen === 'start') return typeof example?.answer === 'string' ? [] : ['the start did not fail'];
  const document = (example?.answer ?? {}) as Readonly<Record<string, unknown>>;
  const answer = (seen === 'compatible' ? document['error'] : document) as typeof document;
  const { status, title, retryable } = errorCodes[code];
  const type = `urn:patchbay:error:${code}`;
  const isProblem = seen === undefined;
  const wanted = isProblem ? { code, status, title, retryable, type } : { code };
  const further = isProblem ? Object.keys(answer).filter((name) => !standard.has(name)) : [];
  return [
    ...Object.entries(wanted).flatMap(([name, value]) => (answer[name] === value ? [] : [`${name} is not ${value}`])),
    ...further.filter((name) => !Object.hasOwn(members, name)).map((name) => `${name} is not documented`),
  ];
}
