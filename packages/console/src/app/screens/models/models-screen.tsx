import type { ScreenProps } from '../../frame/screen.ts';
import { ModelDetail } from './model-detail.tsx';
import { ModelList } from './model-list.tsx';
import { RoutingExplanation } from './routing-explanation.tsx';

/** The catalogue of models, one of them, or how the gateway chooses among them. */
export default function ModelsScreen({ path, query }: ScreenProps) {
  if (path.length === 0) return <ModelList search={query['q'] ?? ''} />;
  if (path.length === 1 && path[0] === 'routing') return <RoutingExplanation query={query} />;
  return <ModelDetail id={path.join('/')} />;
}
