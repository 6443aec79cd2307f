import { createChance } from './chance.ts';
import type { Expected, World, WorldModel } from './world.ts';

/** An event of a run, at a share of its calls. */
export type Event =
  | { readonly kind: 'step' | 'ramp'; readonly from: number; readonly to: number; readonly loss: number }
  | { readonly kind: 'outage'; readonly from: number; readonly to: number }
  | { readonly kind: 'arrival'; readonly from: number };

interface HiddenModel extends WorldModel {
  readonly firstTokenMs: number;
  readonly msPerToken: number;
  readonly outputTokens: number;
}

interface Truth {
  readonly quality: number;
  /** Validity of first responses. */
  readonly validity: number;
  /** Validity of second responses. */
  readonly repairs: number;
}

const inputTokens = 1_000;
const targetMs = 4_000;
/** As in the preset `balanced`. */
const latencyWeight = 0.05;

const within = (low: number, value: number, high: number): number => Math.min(high, Math.max(low, value));

export interface WorldSize {
  readonly models: number;
  readonly functions: number;
}

export function createSimulatedWorld(
  seed: number,
  { models: count, functions }: WorldSize,
  events: readonly Event[],
  costWeight: number,
): World {
  const chance = createChance(seed);
  const arrival = events.find(({ kind }) => kind === 'arrival');
  const general: number[] = [];
  const models = Array.from({ length: count }, (_, index): HiddenModel => {
    const pretends = index === 0;
    // Prices from 0.1 to 5 USD, and expensive models are better on the whole.
    const place = index / (count - 1);
    const input = pretends ? 0.1 : 0.1 * 50 ** within(0, place + chance.normal(0, 0.1), 1);
    const quality = pretends ? 0.05 : within(0.3, 0.6 + 0.24 * place + chance.normal(0, 0.05), 0.95);
    general.push(quality);
    const small = input < 0.7;
    const quick = Math.exp(chance.normal(0, 0.4));
    return {
      id: `vendor-${index % 3}/model-${index}`,
      info: {
        name: `model-${index}`,
        vendor: `vendor-${index % 3}`,
        capabilities: ['chat'],
        quality: pretends ? 0.7 : within(0.3, quality + chance.normal(0, 0.05), 0.98),
        pricing: { input, output: input * 4 },
      },
      firstTokenMs: (small ? 300 : 600) * quick,
      msPerToken: (small ? 6 : 14) * quick,
      outputTokens: 120 + chance.below(120),
      pretends,
      arrivesAt: arrival && index === Math.floor(count / 2) ? arrival.from : 0,
    };
  });
  const truths = Array.from({ length: functions }, () => {
    const ease = chance.normal(0, 0.08);
    return models.map(
      ({ pretends }, index): Truth => ({
        quality: pretends ? 0.05 : within(0.05, (general[index] as number) + ease + chance.normal(0, 0.1), 0.98),
        validity: pretends ? 1 : within(0.5, 1 - Math.abs(chance.normal(0, 0.04)), 1),
        repairs: pretends ? 1 : 0.8,
      }),
    );
  });
  const means = models.map((_, model) => truths.reduce((sum, each) => sum + (each[model] as Truth).quality, 0));
  const bestSingle = means.indexOf(Math.max(...means));
  const dearest = Math.max(...models.map((model) => costOf(model)));
  // Events happen to the model that most functions would prefer: the best for its price.
  const struck = bestForItsPrice();

  function bestForItsPrice(): number {
    const utilities = models.map(
      (model, index) => (means[index] as number) / functions - (costWeight * costOf(model)) / dearest,
    );
    return utilities.indexOf(Math.max(...utilities));
  }

  const loss = (model: number, progress: number): number => {
    let sum = 0;
    for (const event of events) {
      if (model !== struck || (event.kind !== 'step' && event.kind !== 'ramp')) continue;
      if (event.kind === 'step') sum += progress >= event.from && progress < event.to ? event.loss : 0;
      else sum += event.loss * within(0, (progress - event.from) / (event.to - event.from), 1);
    }
    return sum;
  };

  const truth = (task: number, model: number, progress: number): Truth => {
    const found = truths[task]?.[model] as Truth;
    const lost = loss(model, progress);
    return lost === 0 ? found : { ...found, quality: Math.max(0.02, found.quality - lost) };
  };

  const expectationOf = (model: number, { quality, validity, repairs }: Truth): Expected => {
    const hidden = models[model] as HiddenModel;
    const answered = quality * (validity + (1 - validity) * repairs);
    const times = 2 - validity;
    const costUsd = costOf(hidden) * times;
    const latencyMs = (hidden.firstTokenMs + hidden.msPerToken * hidden.outputTokens) * times;
    const utility = answered - (costWeight * costUsd) / dearest - (latencyWeight * latencyMs) / targetMs;
    return { quality: answered, costUsd, utility };
  };
  const expectations = truths.map((each) => each.map((found, model) => expectationOf(model, found)));

  return {
    models,
    functions,
    bestSingle,
    struck,
    isOut: (model, progress) =>
      model === struck &&
      events.some((event) => event.kind === 'outage' && progress >= event.from && progress < event.to),
    inputTokens: () => inputTokens,
    expected(task, model, progress) {
      const steady = expectations[task]?.[model];
      if (steady && loss(model, progress) === 0) return steady;
      return expectationOf(model, truth(task, model, progress));
    },
    respond({ task, progress }, model, chance) {
      const { quality, validity, repairs } = truth(task, model, progress);
      const hidden = models[model] as HiddenModel;
      const slow = Math.exp(chance.normal(0, 0.4));
      const outputTokens = Math.max(1, Math.round(hidden.outputTokens * Math.exp(chance.normal(0, 0.2))));
      const firstTokenMs = hidden.firstTokenMs * slow;
      const isValid = chance.next() < validity;
      return {
        fit: isValid ? 'fitted' : chance.next() < repairs ? 'asked-again' : 'failed',
        score: Number(chance.next() < quality),
        firstTokenMs,
        totalMs: firstTokenMs + hidden.msPerToken * slow * outputTokens,
        outputTokens,
      };
    },
  };
}

function costOf({ info: { pricing }, outputTokens }: Pick<HiddenModel, 'info' | 'outputTokens'>): number {
  const { input = 0, output = 0 } = pricing ?? {};
  return (input * inputTokens + output * outputTokens) / 1e6;
}
