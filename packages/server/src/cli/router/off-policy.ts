/** The probability with which each model is called. Models that are left out are never called. */
export type Chances = Readonly<Record<string, number>>;

/** A call whose model was chosen at random, with its outcome: its score, or its cost. */
export interface LoggedCall {
  /** Outcomes of one task are compared with each other first. */
  readonly task: string;
  /** The model that was called. */
  readonly model: string;
  readonly chances: Chances;
  readonly outcome: number;
}

/** A mean outcome per call with its 95 % confidence interval. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** The mean outcome that other choices would have had, by three estimators. */
export interface OffPolicyEstimates {
  /** Inverse propensity scoring: unbiased, with a wide interval (Horvitz & Thompson, 1952). */
  readonly ips: Estimate;
  /** The same divided by the sum of the weights: narrower, with a bias that vanishes as calls are added (Swaminathan & Joachims, 2015, arXiv:1506.02438). */
  readonly snips: Estimate;
  /** Doubly robust: a prediction for each call, corrected by the outcome (Dudík, Langford & Li, 2011, arXiv:1103.4601). */
  readonly doublyRobust: Estimate;
  /** Mean of the weights. 1 is expected: an interval without it shows that a few improbable calls dominate IPS. */
  readonly weight: Estimate;
  /** Effective sample size of the weighted calls (Kish, 1965). */
  readonly effectiveCalls: number;
  /** Share of the choices that fall on models which could not have been called. */
  readonly untried: number;
}

const Z_95 = 1.96;

/**
 * Estimate the mean outcome of other choices from calls whose models were chosen at random.
 *
 * Intervals are normal approximations. They hold for routers that keep learning, because each prediction and each
 * probability depends on earlier calls only.
 *
 * @param calls In the order in which they were made.
 * @param choices The chances that the other policy gives each model, for each call.
 */
export function estimateOutcome(calls: readonly LoggedCall[], choices: readonly Chances[]): OffPolicyEstimates {
  const predictions = createPredictions();
  const weights: number[] = [];
  const weighted: number[] = [];
  const corrected: number[] = [];
  let untried = 0;
  for (const [place, call] of calls.entries()) {
    const choice = choices[place] ?? {};
    const weight = (choice[call.model] ?? 0) / (call.chances[call.model] ?? 1);
    let predicted = 0;
    for (const [model, chance] of Object.entries(choice)) {
      predicted += chance * predictions.of(call.task, model);
      if (!call.chances[model]) untried += chance / calls.length;
    }
    weights.push(weight);
    weighted.push(weight * call.outcome);
    corrected.push(predicted + weight * (call.outcome - predictions.of(call.task, call.model)));
    predictions.add(call);
  }
  const total = sum(weights);
  const snips = total === 0 ? 0 : sum(weighted) / total;
  const residuals = weighted.map((value, place) => value - (weights[place] as number) * snips);
  return {
    ips: meanOf(weighted),
    snips: interval(snips, Math.sqrt(sum(residuals.map((value) => value ** 2))) / total),
    doublyRobust: meanOf(corrected),
    weight: meanOf(weights),
    effectiveCalls: total === 0 ? 0 : total ** 2 / sum(weights.map((weight) => weight ** 2)),
    untried,
  };
}

/** The mean of what was observed, without any weights. */
export function meanOf(values: readonly number[]): Estimate {
  const mean = sum(values) / values.length;
  const variance = sum(values.map((value) => (value - mean) ** 2)) / (values.length - 1);
  return interval(mean, Math.sqrt(variance / values.length));
}

function interval(mean: number, deviation: number): Estimate {
  return { mean, low: mean - Z_95 * deviation, high: mean + Z_95 * deviation };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Number of calls of a model at a task that the mean of all its models counts as. */
const COMMON_CALLS = 2;

/** Mean outcomes of models at tasks, by the calls so far. */
function createPredictions() {
  interface Sum {
    count: number;
    total: number;
  }
  const tasks = new Map<string, Sum & { readonly models: Map<string, Sum> }>();
  return {
    of(task: string, model: string): number {
      const common = tasks.get(task);
      if (!common) return 0;
      const { count, total } = common.models.get(model) ?? { count: 0, total: 0 };
      return (total + COMMON_CALLS * (common.total / common.count)) / (count + COMMON_CALLS);
    },
    add({ task, model, outcome }: LoggedCall): void {
      const common = tasks.get(task) ?? { count: 0, total: 0, models: new Map<string, Sum>() };
      const own = common.models.get(model) ?? { count: 0, total: 0 };
      for (const each of [common, own]) {
        each.count += 1;
        each.total += outcome;
      }
      common.models.set(model, own);
      tasks.set(task, common);
    },
  };
}
