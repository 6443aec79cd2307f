import { readFileSync } from 'node:fs';
import { errorCodes } from '@patchbay/core';
import { describe, expect, it } from 'vitest';
import { commonFaults, embeddingFaults, type FaultRow, functionFaults, streamFaults } from './fault-table.ts';

const page = readFileSync(new URL('../../../../docs/reference/provider-failures.md', import.meta.url), 'utf8');

/** The rows of the table under a heading, without its head. */
function rowsUnder(heading: string): readonly string[] {
  const section = page.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) => line.replaceAll(/ +/g, ' '));
}

function documented({ what, named, auto, asked, repairs, retryAfter, within }: FaultRow): string {
  if (named === 'answer') return `| ${what} | an answer | ${auto} |`;
  const failure = `${errorCodes[named].status} \`${named}\``;
  const before = repairs ? 'shown to the model once, then ' : asked === 2 ? 'one retry, then ' : '';
  const place = within ? 'event `error`: ' : '';
  const wait = retryAfter === undefined ? '' : ` with \`Retry-After: ${retryAfter}\``;
  return `| ${what} | ${before}${place}${failure}${wait} | ${auto} |`;
}

describe('docs/reference/provider-failures.md', () => {
  it.each([
    ['Requests', commonFaults],
    ['Streams', streamFaults],
    ['Function calling', functionFaults],
    ['Embeddings', embeddingFaults],
  ])('%s has the rows that are tested', (heading, rows) => {
    expect(rowsUnder(heading)).toEqual(rows.map(documented));
  });
});
