import type { Figure, Target } from '../../scripts/scorecard/scorecard-record.ts';
import { interval, policyNames } from './compare.ts';
import { type Job, nameOf } from './jobs.ts';
import type { Results } from './run-jobs.ts';
import { judged, reported } from './scorecard-jobs.ts';
import type { Measures } from './simulate.ts';

type Pair = (one: Measures, other: Measures) => number;

const quality: Pair = (one, other) => one.quality / other.quality;
const cost: Pair = (one, other) => one.usdPer1000 / other.usdPer1000;
/** By how much less utility the one has. */
const lost: Pair = (one, other) => one.regret - other.regret;
const regret: Pair = ({ regret: each }) => each;

/** The figures of the results, with the targets. A target for every seed is compared with the worst one. */
export function figuresOf(results: Results): readonly Figure[] {
  const of = (job: Partial<Job>): readonly Measures[] =>
    results.get(nameOf({ scenario: 'all', policy: 'learned', ...job })) ?? [];

  /** Compares each seed with the same seed, and so the same world, of the other job. */
  const mean = (what: string, one: Partial<Job>, other: Partial<Job>, pair: Pair, target?: Target): Figure[] => {
    const others = of(other);
    const values = of(one).map((each, seed) => pair(each, others[seed] as Measures));
    if (values.length === 0) return [];
    const { mean: value, low, high } = interval(values);
    const note = `${digits(low)} to ${digits(high)} with 95 % confidence`;
    return [{ what, value, note, ...(target && { target }) }];
  };

  const worst = (what: string, job: Partial<Job>, measure: (of: Measures) => number, target: Target): Figure[] => {
    const values = of(job).map(measure).filter(Number.isFinite);
    if (values.length === 0) return [];
    return [
      { what, value: Math.max(...values), target, note: `at most; the mean is ${digits(interval(values).mean)}` },
    ];
  };

  const regrets = (matrix: string): Figure[] => {
    const job = matrix === 'simulated' ? {} : { matrix };
    const others = policyNames
      .filter((policy) => policy !== 'learned' && of({ ...job, policy }).length > 0)
      .map((policy) => `${policy} ${digits(interval(of({ ...job, policy }).map((each) => each.regret)).mean)}`);
    const isJudged = matrix === 'simulated' || judged.includes(matrix as (typeof judged)[number]);
    return mean(`${matrix}: regret for each call`, job, job, regret, isJudged ? { most: 0.03 } : undefined).map(
      (figure) => ({ ...figure, note: `${figure.note}; ${others.join(', ')}` }),
    );
  };

  const toBestSingle = (matrix: string, [least, most]: readonly [Target?, Target?]): Figure[] => {
    const [learned, best] = [{ matrix }, { matrix, policy: 'best single' }] as const;
    return [
      ...mean(`${matrix}: quality, to that of the best single model`, learned, best, quality, least),
      ...mean(`${matrix}: cost, to that of the best single model`, learned, best, cost, most),
    ];
  };

  const lessFeedback = (matrix: string): Figure[] => {
    const job = matrix === 'simulated' ? {} : { matrix };
    const [biased, tenth, late] = ['biased', 'tenth', 'all, late'].map((scenario) => ({ ...job, scenario }));
    const target = { most: 0.01 };
    return [
      ...mean(`${matrix}: utility lost if unhappy callers score more often`, biased ?? {}, job, lost, target),
      ...mean(`${matrix}: utility lost if one response in ten is scored`, tenth ?? {}, late ?? {}, lost, target),
    ];
  };

  const none = interval(
    of({ scenario: 'none' }).map(
      (each, seed) => -lost(each, of({ scenario: 'none', policy: 'weighted' })[seed] as Measures),
    ),
  );
  const gain = interval(of({ policy: 'weighted' }).map((each, seed) => lost(each, of({})[seed] as Measures))).mean;

  return [
    ...judged.flatMap((matrix) => [
      ...toBestSingle(matrix, [{ least: 0.99 }, { most: 0.35 }]),
      ...regrets(matrix),
      ...lessFeedback(matrix),
    ]),
    ...reported.flatMap((matrix) => [...toBestSingle(matrix, []), ...regrets(matrix)]),
    ...regrets('simulated'),
    ...lessFeedback('simulated'),
    {
      what: 'simulated: utility won over the weighted router without scores',
      value: none.low,
      target: { least: -0.005 },
      note: 'the lower end of the 95 % interval',
    },
    ...mean(
      'simulated: share of the gain lost with three replicas and restarts',
      { scenario: 'replicas' },
      {},
      (one, other) => lost(one, other) / gain,
      { most: 0.05 },
    ),
    ...worst('simulated: share of all calls that are below the champion', { scenario: 'whole' }, below, { most: 0.3 }),
    ...worst('simulated: the same after 2,000 calls', {}, below, { most: 0.05 }),
    ...['all', 'biased'].flatMap((scenario) =>
      worst(`simulated, ${scenario}: calls with the wrong champion`, { scenario }, (each) => each.wrongChampion, {
        exactly: 0,
      }),
    ),
    ...worst('simulated outage: calls of the model', { scenario: 'outage' }, (each) => each.callsIntoOutage, {
      most: 20,
    }),
    ...mean(
      'simulated outage: seconds until it is back',
      { scenario: 'outage' },
      { scenario: 'outage' },
      (each) => each.secondsToReturn,
      { most: 30 },
    ),
    ...['step', 'ramp', 'arrival'].flatMap((scenario) =>
      mean(`simulated ${scenario}: regret for each call`, { scenario }, { scenario }, regret),
    ),
  ];
}

const below = ({ belowChampion }: Measures): number => belowChampion;

const digits = (value: number): string => value.toPrecision(3);
