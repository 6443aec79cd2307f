import type { Check, CheckContext, Verdict, Vote } from '../eval-case.ts';
import { noVoteOf } from './no-vote-of.ts';
import { outputCheck } from './output-check.ts';

/** Functions that judge answers. */
export interface Judges {
  /** Names of the functions. */
  readonly functions: readonly string[];
  /** How their votes are combined. Default: `majority`. */
  readonly combine?: 'majority' | 'mean';
  /** Minimum passing score, for judges without a verdict. */
  readonly threshold?: number;
}

const DEFAULT_THRESHOLD = 0.5;

/** Finds the id of a stored function by its name. An unknown name must not be answered by a model. */
export type FindFunction = (name: string) => Promise<string>;

/** An answer, as judges see it. */
export interface Judged {
  readonly input: object;
  readonly output: unknown;
  /** A correct output. */
  readonly expected?: unknown;
}

/** The verdict of one judge. Its output has a `verdict`, a `score`, or both; anything else is no vote. */
export async function askJudge(
  name: string,
  judged: Judged,
  { call, findFunction, threshold = DEFAULT_THRESHOLD }: AskingJudge,
): Promise<Verdict> {
  const id = await findFunction(name);
  try {
    const { output } = (await call(`/functions/${id}/execute`, { input: judged })) as { readonly output?: unknown };
    return verdictIn(name, output, threshold);
  } catch (error) {
    return noVoteOf(name, error);
  }
}

interface AskingJudge {
  readonly call: CheckContext['call'];
  readonly findFunction: FindFunction;
  readonly threshold?: number | undefined;
}

function verdictIn(name: string, output: unknown, threshold: number): Verdict {
  const { score, verdict, reason: given } = Object(output) as Readonly<Record<string, unknown>>;
  const reason = typeof given === 'string' && given !== '' ? { reason: given } : {};
  if (verdict === 'abstain' || (verdict ?? score ?? null) === null) return { noVote: `${name} abstained` };
  const passed = passes.get(verdict);
  const isScore = typeof score === 'number' && score >= 0 && score <= 1;
  if (verdict !== undefined && passed === undefined) return { noVote: `${name} gave no verdict that is known` };
  if (score !== undefined && score !== null && !isScore) return { noVote: `${name} gave a score outside of 0 to 1` };
  if (isScore) return { score, passed: passed ?? score >= threshold, ...reason };
  return { score: passed ? 1 : 0, passed: passed === true, ...reason };
}

const passes: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  ['pass', true],
  [false, false],
  ['fail', false],
]);

/** Judges like the output. */
export function judge(
  { functions, combine = 'majority', threshold = DEFAULT_THRESHOLD }: Judges,
  expected: unknown,
  findFunction: FindFunction,
): Check {
  const names = functions.join(', ');
  return outputCheck(`judge ${names}`, `an output that passes ${names}`, async (output, { case: { input }, call }) => {
    const judged = { input, output, ...(expected !== undefined && expected !== null && { expected }) };
    const asking = { call, findFunction, threshold };
    const verdicts = await Promise.all(functions.map((name) => askJudge(name, judged, asking)));
    const votes = verdicts.filter((each) => !('noVote' in each)) as readonly Vote[];
    const [first] = verdicts;
    if (votes.length === 0 || first === undefined) return first ?? { noVote: 'there is no judge' };
    return combined(votes, combine, threshold);
  });
}

/** A single vote from several, ignoring judges who did not vote. */
function combined(votes: readonly Vote[], combine: 'majority' | 'mean', threshold: number): Verdict {
  const [only] = votes;
  if (votes.length === 1 && only) return only;
  const reasons = votes.flatMap(({ reason }) => (reason === undefined ? [] : [reason])).join(' · ');
  const reason = reasons === '' ? {} : { reason: reasons };
  if (combine === 'mean') {
    const score = votes.reduce((sum, each) => sum + each.score, 0) / votes.length;
    return { score, passed: score >= threshold, ...reason };
  }
  const score = votes.filter(({ passed }) => passed).length / votes.length;
  return score === 0.5 ? { noVote: 'the judges are divided' } : { score, passed: score > 0.5, ...reason };
}
