import type { Client } from '@patchbay/client';
import type { Candidate } from '@patchbay/core/plugin';
import type { Action } from '../cli-context.ts';
import { exitCodes, UsageError } from '../cli-failure.ts';
import { counted, printDocument, printRows } from '../output.ts';
import { clientOf, type RemoteOptions } from '../remote.ts';
import { findTask } from './find-task.ts';
import { type Estimate, estimateOutcome, meanOf, type OffPolicyEstimates } from './off-policy.ts';
import { checkPolicy, type ModelFacts, policyOf } from './policies.ts';
import { type ReplayedCall, readCalls } from './read-calls.ts';

interface ReplayOptions extends RemoteOptions {
  readonly policy: string;
  readonly since: string;
  readonly function?: string;
  readonly metric: string;
}

type ModelInfo = Candidate['info'];

/** Effective calls below which intervals are unreliable. */
const LEAST_EFFECTIVE = 50;
/** Maximum share of a policy's choices that may fall on models that could not have been called. */
const MOST_UNTRIED = 0.05;

/** Estimate what recorded calls would have scored and cost if another policy had chosen their models. */
export const replay: Action<ReplayOptions> = async (context, options) => {
  const { policy: name, metric } = options;
  const { output, signal } = context;
  const client = clientOf(options, context);
  const since = timeOf(options.since);
  const task = options.function === undefined ? undefined : await findTask(client, options.function, signal);
  const { calls, total } = await readCalls(client, { since, task, metric }, signal);
  output.note(`${counted(total, 'call')} of models since ${since}; the model of ${calls.length} was left to chance`);
  const models = (await client.models.list({ signal })).data.map(({ id }) => id);
  checkPolicy(name, models, calls);
  if (calls.length === 0) return refuse(output, 'no call has propensities: the router has tried no other models yet');

  const choices = await policyOf(name, await factsOf(client, models, signal))(calls);
  const estimate = (outcomeOf: (call: ReplayedCall) => number | undefined) => {
    const known = calls.flatMap((call, place) => {
      const outcome = outcomeOf(call);
      return outcome === undefined ? [] : [{ call: { ...call, outcome }, choice: choices[place] ?? {} }];
    });
    const seen = known.map(({ call }) => call.outcome);
    const estimates = estimateOutcome(
      known.map(({ call }) => call),
      known.map(({ choice }) => choice),
    );
    return { ...estimates, count: known.length, observed: meanOf(seen) };
  };
  const score = estimate((call) => call.score);
  const reason = reasonToRefuse(score, score.count, name);
  if (reason !== undefined) return refuse(output, reason);
  const cost = estimate((call) => call.cost);

  if (options.json) {
    printDocument(output, options, { policy: name, since, metric, calls: calls.length, score, cost });
    return exitCodes.ok;
  }
  const rows = [
    ['', `${metric} per call`, 'USD per 1,000 calls'],
    ['as it was', shown(score.observed, 1, 3), shown(cost.observed, 1_000, 4)],
    ...(['ips', 'snips', 'doublyRobust'] as const).map((estimator) => [
      `${name}, ${titles[estimator]}`,
      shown(score[estimator], 1, 3),
      shown(cost[estimator], 1_000, 4),
    ]),
  ];
  printRows(output, options, rows, (row) => row);
  const worth = counted(Math.round(score.effectiveCalls), 'call');
  output.note(`by ${counted(score.count, 'score')}, worth ${worth} of ${name}`);
  const { mean, low, high } = score.weight;
  if (low > 1 || high < 1) {
    output.note(
      `the weights average ${mean.toFixed(2)} and not 1: IPS depends on a few improbable calls, so rely on it only with more`,
    );
  }
  return exitCodes.ok;
};

const titles = { ips: 'IPS', snips: 'SNIPS', doublyRobust: 'doubly robust' } as const;

const shown = ({ mean, low, high }: Estimate, scale: number, digits: number): string =>
  Number.isFinite(mean)
    ? `${(mean * scale).toFixed(digits)} (${(low * scale).toFixed(digits)} to ${(high * scale).toFixed(digits)})`
    : 'unknown';

function reasonToRefuse(estimates: OffPolicyEstimates, count: number, name: string): string | undefined {
  if (count === 0) return 'no such call has feedback with this metric';
  if (estimates.untried > MOST_UNTRIED) {
    const share = `${Math.round(100 * estimates.untried)} %`;
    return `${name} would call models in ${share} of the calls that could not have been called then`;
  }
  if (estimates.effectiveCalls >= LEAST_EFFECTIVE) return undefined;
  const worth = Math.floor(estimates.effectiveCalls);
  return `the scored calls are worth ${counted(worth, 'call')} of ${name}, and ${LEAST_EFFECTIVE} are needed: wait, or look back further with --since`;
}

function refuse(output: { note(text: string): void }, reason: string): number {
  output.note(`no estimate: ${reason}`);
  return exitCodes.failure;
}

const units: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000 };

/** @throws UsageError */
function timeOf(text: string): string {
  const [, count, unit = ''] = /^(\d{1,4})([hd])$/.exec(text) ?? [];
  const time = count === undefined ? Date.parse(text) : Date.now() - Number(count) * (units[unit] ?? 0);
  if (Number.isNaN(time))
    throw new UsageError(`--since is ${JSON.stringify(text)}, but must be such as 7d, 12h or a time`);
  return new Date(time).toISOString();
}

/** Prices and quality of all models. */
async function factsOf(client: Client, models: readonly string[], signal: AbortSignal): Promise<ModelFacts> {
  const facts = new Map<string, ModelInfo>();
  for (const id of models) {
    const { name, capabilities, pricing, ...model } = await client.models.get(id, { signal });
    const { quality } = model as { readonly quality?: number };
    const price = pricing && { input: pricing.input, output: pricing.output };
    // Routers read no capabilities: only models that could serve a call are its candidates.
    facts.set(id, {
      name,
      capabilities: capabilities as ModelInfo['capabilities'],
      ...(price && { pricing: price }),
      ...(quality !== undefined && { quality }),
    });
  }
  return facts;
}
