import { askJudge, type FindFunction } from '../checks/judge.ts';
import type { Example } from '../dataset/read-dataset.ts';
import type { CheckContext, Vote } from '../eval-case.ts';
import type { Interval } from '../statistics/interval.ts';
import { wilson } from '../statistics/wilson.ts';
import { type Confusion, cohensKappa } from './cohens-kappa.ts';
import { correlation } from './correlation.ts';

/** How far a judge agrees with the scores that people gave. */
export interface JudgeAgreement {
  readonly judge: string;
  readonly metric: string;
  /** Examples with an output and a score of it. */
  readonly labels: number;
  /** Examples without. */
  readonly withoutLabel: number;
  readonly votes: number;
  /** By reason. */
  readonly noVotes: Readonly<Record<string, number>>;
  /** If every score is a yes or a no: booleans, 0 and 1. Rows by the scores, columns by the verdicts of the judge. */
  readonly binary?: {
    readonly confusion: Confusion;
    /** Share of equal verdicts. Undefined without votes. */
    readonly agreement: Interval | undefined;
    readonly kappa: Interval | undefined;
  };
  /** If scores are numbers. */
  readonly numeric?: {
    readonly correlation: Interval | undefined;
    /** Mean of the judge's score minus the given one: above 0, the judge is too lenient. Undefined without votes. */
    readonly bias: number | undefined;
  };
}

export interface JudgingOptions {
  readonly judge: string;
  /** Default: `score`. */
  readonly metric?: string;
  /** `min`: less is better, so that the judge is compared with the opposite of a score. Default: `max`. */
  readonly optimize?: 'max' | 'min' | undefined;
  /** The judge's minimum passing score, if it gives no verdict. */
  readonly threshold?: number | undefined;
  readonly call: CheckContext['call'];
  readonly findFunction: FindFunction;
  /** Answers judged concurrently. Default: 4. */
  readonly concurrency?: number;
}

interface Labelled {
  readonly label: number;
  readonly vote: Vote;
}

/** Have a judge judge the outputs of examples that people have scored. */
export async function judgeAgreement(
  examples: AsyncIterable<Example>,
  { judge, metric = 'score', optimize = 'max', threshold, call, findFunction, concurrency = 4 }: JudgingOptions,
): Promise<JudgeAgreement> {
  const labelled: Labelled[] = [];
  const reasons = new Map<string, number>();
  let [labels, withoutLabel, isBinary] = [0, 0, true];
  const judgeNext = async (given: AsyncIterator<Example>): Promise<void> => {
    for (let step = await given.next(); !step.done; step = await given.next()) {
      const { input, output, expected, scores } = step.value;
      const label = labelOf(scores[metric], optimize);
      if (output === null || label === undefined) {
        withoutLabel += 1;
        continue;
      }
      labels += 1;
      isBinary &&= label === 0 || label === 1;
      const judged = { input, output, ...(expected !== null && { expected }) };
      const vote = await askJudge(judge, judged, { call, findFunction, threshold });
      if ('noVote' in vote) reasons.set(vote.noVote, (reasons.get(vote.noVote) ?? 0) + 1);
      else labelled.push({ label, vote });
    }
  };
  const given = examples[Symbol.asyncIterator]();
  await Promise.all(Array.from({ length: concurrency }, () => judgeNext(given)));
  // In an order that does not depend on which answer arrived first.
  const noVotes = Object.fromEntries([...reasons].sort(([one], [other]) => (one < other ? -1 : 1)));
  const head = { judge, metric, labels, withoutLabel, votes: labelled.length, noVotes };
  return isBinary ? { ...head, binary: binaryOf(labelled) } : { ...head, numeric: numericOf(labelled) };
}

/** Of a score from 0 to 1, or a yes or no. Undefined for others. */
function labelOf(score: Example['scores'][string] | undefined, optimize: 'max' | 'min'): number | undefined {
  if (score === undefined || typeof score === 'string' || Number(score) < 0 || Number(score) > 1) return undefined;
  return optimize === 'max' ? Number(score) : 1 - Number(score);
}

function binaryOf(labelled: readonly Labelled[]): NonNullable<JudgeAgreement['binary']> {
  const count = (isGood: boolean, passed: boolean): number =>
    labelled.filter(({ label, vote }) => (label === 1) === isGood && vote.passed === passed).length;
  const confusion: Confusion = [
    [count(true, true), count(true, false)],
    [count(false, true), count(false, false)],
  ];
  const equal = confusion[0][0] + confusion[1][1];
  const agreement = labelled.length === 0 ? undefined : wilson(equal, labelled.length);
  return { confusion, agreement, kappa: cohensKappa(confusion) };
}

function numericOf(labelled: readonly Labelled[]): NonNullable<JudgeAgreement['numeric']> {
  const pairs = labelled.map(({ label, vote }) => [label, vote.score] as const);
  const sum = pairs.reduce((total, [label, score]) => total + score - label, 0);
  return { correlation: correlation(pairs), bias: pairs.length === 0 ? undefined : sum / pairs.length };
}
