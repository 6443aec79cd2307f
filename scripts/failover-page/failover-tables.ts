import { endpoints } from '../../packages/e2e/src/failover/endpoint.ts';
import type { Choice } from '../../packages/e2e/src/failover/failover-fault.ts';
import { tableOf } from '../marked-part.ts';
import { publishedResults } from './published-results.ts';

/** The result of one fault. */
export interface FaultResult {
  readonly number: number;
  readonly what: string;
  readonly does: Readonly<Record<Choice, string>>;
  /** The complaints about each kind of request; none means a pass. */
  readonly observed: readonly { readonly path: string; readonly complaints: readonly string[] }[];
}

/** The faults, what the gateway does, and the verdict of each endpoint. */
export function resultsTable(results: readonly FaultResult[]): string {
  const paths = endpoints.map(({ path }) => path);
  const verdictOf = ({ observed }: FaultResult, path: string): string => {
    const own = observed.filter((each) => each.path === path);
    const complaints = own.flatMap((each) => each.complaints);
    return own.length > 0 && complaints.length === 0 ? 'pass' : `fail: ${complaints.join('; ')}`;
  };
  const rows = results.map((result) => [
    String(result.number),
    result.what,
    ...(result.does.named === result.does.automatic
      ? [result.does.named, 'the same']
      : [result.does.named, result.does.automatic]),
    ...paths.map((path) => verdictOf(result, path)),
  ]);
  return tableOf(['#', 'fault', 'named model', 'automatic choice', ...paths.map((path) => `\`${path}\``)], rows);
}

/** The verdicts on other systems, with their sums. */
export function publishedTable(results: readonly Pick<FaultResult, 'number' | 'what'>[]): string {
  const rows = results.map(({ number, what }) => [
    String(number),
    what,
    ...publishedResults.map(({ verdicts }) => verdicts[number - 1] ?? ''),
  ]);
  const sums = publishedResults.map(({ verdicts }) => {
    const count = (wanted: string) => verdicts.filter((each) => each === wanted).length;
    return `${count('pass')} pass, ${count('partial')} partial, ${count('safe')} safe, ${count('fail')} fail`;
  });
  return tableOf(['#', 'fault', ...publishedResults.map(({ system }) => system)], [...rows, ['', 'all', ...sums]]);
}
