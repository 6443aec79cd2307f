import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { schemaFormats, schemaKeywords } from './schema-keywords.ts';
import { schemaLimits } from './schema-limits.ts';
import { checkSchema } from './schema-profile.ts';

const page = readFileSync(new URL('../../../../docs/reference/json-schema.md', import.meta.url), 'utf8');
const section = (heading: string): string => page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
const namesIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name).sort();

it('the page on JSON Schema lists exactly the accepted keywords', () => {
  const rows = section('Keywords')
    .split('\n')
    .filter((line) => line.startsWith('|'));
  expect(namesIn(rows.join('\n'))).toEqual([...schemaKeywords.keys()].sort());
});

it('the page on JSON Schema lists exactly the checked formats', () => {
  const [, list = ''] = /is checked for (.*?)\. Other/s.exec(page) ?? [];
  expect(namesIn(list)).toEqual([...schemaFormats].sort());
});

it('the page on JSON Schema states every limit', () => {
  const stated = section('Limits');
  const missing = Object.entries(schemaLimits).filter(([, limit]) => !stated.includes(limit.toLocaleString('en-US')));
  expect(missing).toEqual([]);
});

it('the example of the page on JSON Schema is accepted', () => {
  const [, example = ''] = /```json\n(.*?)```/s.exec(page) ?? [];
  expect(checkSchema(JSON.parse(example) as Record<string, unknown>, '')).toEqual([]);
});
