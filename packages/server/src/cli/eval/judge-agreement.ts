import type { ExampleSource, Interval, JudgeAgreement } from '@patchbay/eval';
import type { Action } from '../cli-context.ts';
import { exitCodes, UsageError } from '../cli-failure.ts';
import { findStored, readStored } from '../functions/stored-functions.ts';
import { counted, printDocument } from '../output.ts';
import { clientOf, type RemoteOptions } from '../remote.ts';

export interface AgreementOptions extends RemoteOptions {
  /** Name, key or id of the judge. */
  readonly judgeAgreement: string;
  readonly metric: string;
  readonly source: ExampleSource;
  readonly threshold?: number;
}

/** Compare the verdicts of a judge with the scores that people gave to the outputs in the dataset of a function. */
export const judgeAgreement: Action<AgreementOptions, [given: string]> = async (context, options, given) => {
  const { signal, output } = context;
  const { judgeAgreement: judge, metric, source, threshold } = options;
  const { judgeAgreement: compare, readExamples } = await import('@patchbay/eval');
  const client = clientOf(options, context);
  const [id, judgeId] = [await findStored(client, given, signal), await findStored(client, judge, signal)];
  const { metrics } = ((await readStored(client, id, signal)).body.settings ?? {}) as Declared;
  const optimize = metrics?.[metric]?.optimize;
  const found = await compare(readExamples(client, id, source, signal), {
    judge,
    metric,
    optimize,
    threshold,
    findFunction: async () => judgeId,
    call: async (path, body) => (await client.request({ method: 'POST', path, body, signal })).json,
  });
  if (found.labels === 0) {
    const have = `${counted(found.withoutLabel, 'example')} of ${given}`;
    throw new UsageError(`none of the ${have} has an output with a score by ${metric}: try --source or --metric`);
  }
  if (options.json) printDocument(output, options, found);
  else for (const line of reportLines(found, optimize)) output.result(line);
  return exitCodes.ok;
};

/** The metrics that the settings of a function declare. */
interface Declared {
  readonly metrics?: Readonly<Record<string, { readonly optimize?: 'max' | 'min' }>>;
}

function reportLines(found: JudgeAgreement, optimize: 'max' | 'min' | undefined): readonly string[] {
  const { judge, metric, labels, votes, noVotes, withoutLabel, binary, numeric } = found;
  const skipped = withoutLabel === 0 ? '' : `; ${counted(withoutLabel, 'example')} without a score left out`;
  return [
    `${judge} beside ${metric}: ${counted(labels, 'answer')}, ${counted(votes, 'vote')}${skipped}`,
    ...(binary ? binaryLines(binary, metric, optimize === 'min' ? [0, 1] : [1, 0]) : []),
    ...(numeric
      ? [
          `correlation  ${shown(numeric.correlation, 'unknown: too few votes, or always the same')}`,
          `bias         ${numeric.bias === undefined ? 'unknown' : signed(numeric.bias)}`,
        ]
      : []),
    ...Object.entries(noVotes).map(([reason, count]) => `no vote      ${count}  ${reason}`),
  ];
}

function binaryLines(
  { agreement, kappa, confusion: [good, bad] }: NonNullable<JudgeAgreement['binary']>,
  metric: string,
  [better, worse]: readonly [number, number],
): readonly string[] {
  const row = (label: string, counts: readonly number[]) => {
    const cells = counts.map((count) => String(count).padStart(COLUMN)).join('');
    return `${label.padEnd(metric.length + 2)}${cells}`;
  };
  return [
    `agreement    ${shown(agreement, 'unknown')}`,
    `kappa        ${shown(kappa, 'unknown: all verdicts are the same')}`,
    `${' '.repeat(metric.length + 2)}${'judge passes'.padStart(COLUMN)}${'judge fails'.padStart(COLUMN)}`,
    row(`${metric} ${better}`, good),
    row(`${metric} ${worse}`, bad),
  ];
}

/** Characters of a column. */
const COLUMN = 14;

const shown = (interval: Interval | undefined, otherwise: string): string =>
  interval ? `${interval.value.toFixed(2)} (${interval.low.toFixed(2)} to ${interval.high.toFixed(2)})` : otherwise;

const signed = (value: number): string => `${value < 0 ? '' : '+'}${value.toFixed(2)}`;
