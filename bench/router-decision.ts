/**
 * The cost of one decision of each router, with 50 candidates and with 1,000. Among the 50 are equal deployments. For
 * the router that learns, all candidates have scores, and others may be tried.
 *
 *     node --conditions=source bench/router-decision.ts [rounds]
 */
import type { Candidate, Router } from '@patchbay/core/plugin';
import learnedPlugin from '@patchbay/router-learned';
import weightedPlugin from '@patchbay/router-weighted';
import { testContext } from '@patchbay/testing';
import { openScorecard } from '../scripts/scorecard/open-scorecard.ts';
import type { Figure } from '../scripts/scorecard/scorecard-record.ts';
import { percentiles } from './percentile.ts';

const scorecard = openScorecard('router-decision');

const context = testContext();
const { logger } = context;
const config = { weights: {}, targetMs: 4_000, trialShare: 0.3, challengerShare: 0.05 };
const host = { config, deps: {}, logger, mount: 'router', directory: '.' };
const routers: readonly (readonly [name: string, router: Router])[] = [
  ['the weighted router', weightedPlugin.definition.create(host)],
  ['the router that learns', learnedPlugin.definition.create(host)],
];

function candidates(count: number): readonly Candidate[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `provider-${index % 4}/model-${Math.floor(index / 2)}`,
    info: {
      name: `model-${Math.floor(index / 2)}`,
      vendor: 'acme',
      capabilities: ['chat'],
      quality: 0.5 + (Math.floor(index / 2) % 40) / 100,
      pricing: { input: 1 + Math.floor(index / 2), output: 4 + Math.floor(index / 2) },
    },
    observed: {
      firstTokenMs: 200 + ((index * 37) % 900),
      msPerToken: 5 + (index % 30),
      outputTokens: 100 + index,
      failureRate: (index % 5) / 50,
      inFlight: index % 7,
    },
    scores: { count: 20 + index, sum: 12 + index / 2, squares: 12 + index / 2, given: 20 + index },
  }));
}

const rounds = Number(process.argv[2] ?? 5_000);
const figures: Figure[] = [];
for (const [name, router] of routers) {
  for (const count of [50, 1_000]) {
    const given = candidates(count);
    const request = { optimize: 'balanced', inputTokens: 1_000, task: 'classify', mayExplore: true } as const;
    const { p50, p95, p99 } = await percentiles(rounds, async () => {
      const ranking = await router.route(request, given, Math.random, context);
      // The reason of the model that is called is always read.
      return ranking[0]?.reason;
    });
    console.log(`${name}, ${count} candidates, in us: p50 ${p50}  p95 ${p95}  p99 ${p99}`);
    figures.push({
      what: `a decision of ${name} among ${count.toLocaleString('en-US')} candidates: p50`,
      value: p50,
      unit: 'µs',
      note: `p99 ${p99} µs`,
      ...(count === 50 && { target: { most: 50 } }),
    });
  }
}
scorecard.record(figures);
