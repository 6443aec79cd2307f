import type { Client } from '@patchbay/client';
import { equals } from '../checks/compare.ts';
import type { Check, EvalCase } from '../eval-case.ts';

/** An example of the dataset of a function. */
export interface Example {
  readonly id: string;
  readonly input: object;
  /** The correct output. Null if it is not known. */
  readonly expected: unknown;
  /** An output that was given, right or wrong. */
  readonly output: object | null;
  /** Of that output, by metric. */
  readonly scores: Readonly<Record<string, boolean | number | string>>;
}

/** Which examples. `feedback`: executions that have feedback. */
export type ExampleSource = 'import' | 'feedback';

/** All examples of a function, the oldest first. */
export async function* readExamples(
  client: Pick<Client, 'request'>,
  functionId: string,
  source: ExampleSource,
  signal: AbortSignal,
): AsyncGenerator<Example, void> {
  const first = `/functions/${encodeURIComponent(functionId)}/dataset?limit=20&order=asc&source=${source}`;
  let path: string | undefined = first;
  while (path !== undefined) {
    const { json } = await client.request({ method: 'GET', path, signal });
    const { data, meta } = json as ExamplePage;
    yield* data;
    path = meta.nextCursor === undefined ? undefined : `${first}&cursor=${encodeURIComponent(meta.nextCursor)}`;
  }
}

interface ExamplePage {
  readonly data: readonly Example[];
  readonly meta: { readonly nextCursor?: string };
}

/**
 * The examples of a function as cases.
 *
 * @param checksOf The checks of answers to an example with this expected output. Default: they equal it, if it is known.
 */
export async function* readDataset(
  client: Pick<Client, 'request'>,
  functionId: string,
  {
    source = 'import',
    signal,
    checksOf = (expected) => (expected === null ? [] : [equals(expected)]),
  }: {
    readonly source?: ExampleSource;
    readonly signal: AbortSignal;
    readonly checksOf?: ((expected: unknown) => readonly Check[]) | undefined;
  },
): AsyncGenerator<EvalCase, void> {
  for await (const { id, input, expected } of readExamples(client, functionId, source, signal)) {
    yield { id, input, checks: checksOf(expected) };
  }
}
