import { join, resolve } from 'node:path';
import type { Client } from '@patchbay/client';
import type { CaseSource, EvalCase } from '@patchbay/eval';
import type { CliContext } from '../cli-context.ts';
import { UsageError } from '../cli-failure.ts';
import { testsFile } from '../functions/local-function.ts';
import { keyOf } from '../functions/stored-functions.ts';
import { readLocalTests } from '../functions/test.ts';

interface CasesOf {
  readonly id: string;
  readonly name: string;
  readonly source: CaseSource;
  /** Folder with a folder for each function. */
  readonly dir: string;
}

/** The cases of a function: its tests, or examples that are checked as its `tests.yaml` says. @throws UsageError for none. */
export async function readCases(
  client: Client,
  { id, name, source, dir }: CasesOf,
  { cwd, signal }: Pick<CliContext, 'cwd' | 'signal'>,
): Promise<readonly EvalCase[]> {
  const folder = resolve(cwd, dir, keyOf(name));
  const { tests, checksOfExample: checksOf } = await readLocalTests(folder, client, signal);
  if (source === 'tests') {
    if (tests.length > 0) return withIds(tests);
    throw new UsageError(`${name} has no tests in ${join(folder, testsFile)}: write some, or evaluate with --dataset`);
  }
  const { readDataset } = await import('@patchbay/eval');
  const cases: EvalCase[] = [];
  for await (const each of readDataset(client, id, { source, signal, checksOf })) cases.push(each);
  if (cases.length > 0) return cases;
  const what = source === 'import' ? 'examples in its dataset' : 'executions with feedback';
  throw new UsageError(`${name} has no ${what}`);
}

/** Names of tests are for people, and need not be unique. */
function withIds(tests: readonly (Omit<EvalCase, 'id'> & { readonly name: string })[]): readonly EvalCase[] {
  const counts = new Map<string, number>();
  return tests.map(({ name, input, checks }) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return { id: count === 1 ? name : `${name} (${count})`, input, checks };
  });
}
