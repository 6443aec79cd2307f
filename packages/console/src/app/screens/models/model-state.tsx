import type { Explanation } from '../../api/operations.generated.ts';
import { Badge } from '../../parts/badge.tsx';

type State = Explanation['data'][number]['state'];

const states = { closed: 'good', 'half-open': 'warn', open: 'bad' } as const;

/** Whether a model can be called: after failures, its circuit is open for a while. */
export function ModelState({ state }: { readonly state: State }) {
  return <Badge kind={states[state]}>{state === 'closed' ? 'healthy' : `circuit ${state}`}</Badge>;
}
