import { useConsole } from '../../frame/console-context.ts';
import { useLoad } from '../../frame/use-load.ts';
import { Badge } from '../../parts/badge.tsx';
import { ErrorView } from '../../parts/error-view.tsx';
import { findAttention } from './find-attention.ts';

/** Things to look at. Nothing is shown if all is well. */
export function Attention() {
  const { api } = useConsole();
  const { data, error, reload } = useLoad((signal) => findAttention(api, signal));
  if (error !== undefined) return <ErrorView error={error} onRetry={reload} />;
  if (!data || data.length === 0) return null;
  return (
    <section aria-label="Needs attention">
      <h2>Needs attention</h2>
      <ul class="attention">
        {data.map(({ href, kind, title, detail }) => (
          <li key={`${kind} ${title}`}>
            <Badge kind="warn">{kind}</Badge> <a href={href}>{title}</a> <span class="quiet">{detail}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
