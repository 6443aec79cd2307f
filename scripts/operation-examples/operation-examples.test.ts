import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../packages/http/src/operations/operations.ts';
import { recordExamples } from './record-examples.ts';
import type { OperationExamples } from './recorder.ts';

// `vitest run scripts/operation-examples -u` records the examples again.

const file = fileURLToPath(
  new URL('../../packages/http/src/reference/operation-examples.generated.ts', import.meta.url),
);

const head = `/** Requests and responses of a running server, by operation. Recorded by \`vitest run scripts/operation-examples -u\`. */
export const operationExamples: Readonly<Record<string, OperationExample>> = {
`;
const tail = `};

interface OperationExample {
  /** The JSON body of the request. */
  readonly request?: object;
  readonly response: unknown;
  /** The text of the response to a request for server-sent events. */
  readonly stream?: string;
  /** Fields that the example leaves out. */
  readonly note?: string;
}
`;

describe('the examples of the OpenAPI document', () => {
  let examples: OperationExamples;
  beforeAll(async () => {
    examples = await recordExamples();
  }, 120_000);

  it('cover every operation, with a stream wherever it streams', () => {
    const found = Object.entries(examples).map(([id, { stream }]) => [id, stream !== undefined]);
    const expected = operations.map(({ id, success }) => [id, success.streams !== undefined]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
  });

  it('match the responses of the reference server', async () => {
    const rows = operations.map(({ id }) => `  ${id}: ${JSON.stringify(examples[id])},\n`);
    await expect(head + rows.join('') + tail).toMatchFileSnapshot(file);
  });
});
