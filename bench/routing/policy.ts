import type { Chance } from './chance.ts';
import type { Expected, Fit, Question, World } from './world.ts';

/** One call of one function. */
export interface Call extends Question {
  readonly nowMs: number;
  /** Indexes of the models that exist. */
  readonly models: readonly number[];
}

/** The order in which models are called, and the model that the policy considers best. */
export interface Choice {
  readonly order: readonly number[];
  readonly champion: number;
}

/** A way to choose models. The baselines know price and latency exactly, and learn quality. */
export interface Policy {
  readonly name: string;
  choose(call: Call): Choice | Promise<Choice>;
  fitted?(call: Call, model: number, fit: Fit): void;
  scored?(task: number, model: number, score: number, nowMs: number): void;
}

export function baselines(world: World, chance: Chance): readonly Policy[] {
  const order = (models: readonly number[], worth: (model: number) => number): Choice => {
    const worths = new Map(models.map((model) => [model, worth(model)]));
    const sorted = models.toSorted((one, other) => (worths.get(other) ?? 0) - (worths.get(one) ?? 0));
    return { order: sorted, champion: sorted[0] as number };
  };
  const of = (call: Call, model: number): Expected => world.expected(call.task, model, call.progress);
  /** Utility with a quality other than the true one. */
  const withQuality = (call: Call, model: number, quality: number): number => {
    const { utility, quality: real } = of(call, model);
    return utility - real + quality;
  };
  return [
    { name: 'random', choose: ({ models }) => order(models, () => chance.next()) },
    { name: 'cheapest', choose: (call) => order(call.models, (model) => -of(call, model).costUsd) },
    {
      name: 'best single',
      choose: ({ models }) => order(models, (model) => (model === world.bestSingle ? 1 : -model)),
    },
    {
      name: 'oracle',
      choose: (call) =>
        order(call.models, (model) => (world.isOut(model, call.progress) ? -9 : of(call, model).utility)),
    },
    learning('epsilon-greedy', world, (call, { mean }) =>
      order(call.models, chance.next() < 0.05 ? () => chance.next() : (model) => withQuality(call, model, mean(model))),
    ),
    learning('UCB1', world, (call, { mean, count }) => {
      const all = call.models.reduce((sum, model) => sum + count(model), 1);
      const bonus = (model: number) => Math.sqrt((2 * Math.log(all)) / (count(model) + 1e-9));
      return order(call.models, (model) => withQuality(call, model, mean(model) + Math.min(9, bonus(model))));
    }),
    learning('Thompson', world, (call, { sum, count }) =>
      order(call.models, (model) =>
        withQuality(call, model, chance.beta(1 + sum(model), 1 + count(model) - sum(model))),
      ),
    ),
  ];
}

interface Means {
  readonly mean: (model: number) => number;
  readonly sum: (model: number) => number;
  readonly count: (model: number) => number;
}

/** A policy over the scores of each function and model; an invalid response counts as a score of zero. */
function learning(name: string, world: World, choose: (call: Call, means: Means) => Choice): Policy {
  const size = world.functions * world.models.length;
  const [sums, counts] = [new Float64Array(size), new Float64Array(size)];
  const place = (task: number, model: number): number => task * world.models.length + model;
  const add = (task: number, model: number, score: number): void => {
    sums[place(task, model)] = (sums[place(task, model)] ?? 0) + score;
    counts[place(task, model)] = (counts[place(task, model)] ?? 0) + 1;
  };
  return {
    name,
    choose(call) {
      const sum = (model: number): number => sums[place(call.task, model)] ?? 0;
      const count = (model: number): number => counts[place(call.task, model)] ?? 0;
      return choose(call, { sum, count, mean: (model) => (sum(model) + 1) / (count(model) + 2) });
    },
    fitted({ task }, model, fit) {
      if (fit === 'failed') add(task, model, 0);
    },
    scored: add,
  };
}
