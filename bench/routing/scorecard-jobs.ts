import { policyNames } from './compare.ts';
import type { Job } from './jobs.ts';

/** Judged by the targets: only the price of a model is known beforehand. */
export const judged = ['LLMRouter', 'ParetoBandit'] as const;
/** Two models each: reported. */
export const reported = ['RouteLLM', 'RouterArena'] as const;

/** All jobs of the scorecard of the router that learns. */
export const scorecardJobs: readonly Job[] = [
  ...policyNames.map((policy): Job => ({ scenario: 'all', policy })),
  ...judged.flatMap((matrix) => policyNames.map((policy): Job => ({ matrix, scenario: 'all', policy }))),
  ...reported.flatMap((matrix) =>
    (['best single', 'weighted', 'learned', 'oracle'] as const).map(
      (policy): Job => ({ matrix, scenario: 'all', policy }),
    ),
  ),
  ...judged.map((matrix): Job => ({ matrix, scenario: 'biased', policy: 'learned' })),
  ...['biased', 'whole', 'outage', 'arrival', 'step', 'ramp', 'replicas'].map(
    (scenario): Job => ({ scenario, policy: 'learned' }),
  ),
  ...(['weighted', 'learned'] as const).map((policy): Job => ({ scenario: 'none', policy })),
  ...[undefined, ...judged].flatMap((matrix) =>
    ['tenth', 'all, late'].map(
      (scenario): Job => ({ ...(matrix !== undefined && { matrix }), scenario, policy: 'learned' }),
    ),
  ),
];
