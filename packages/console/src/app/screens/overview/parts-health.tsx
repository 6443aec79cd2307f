import type { Overview } from '../../api/operations.generated.ts';
import { Badge } from '../../parts/badge.tsx';

type Parts = Overview['parts'];

const kinds = { pass: 'good', warn: 'warn', fail: 'bad' } as const;
const words = { pass: 'healthy', warn: 'impaired', fail: 'failing' } as const;

/** The health of the server's parts: faulty ones immediately, and all of them on request. */
export function PartsHealth({ parts }: { readonly parts: Parts }) {
  // A provider without a key is off, which is not a fault.
  const shown = parts.filter(({ name, status }) => status !== 'warn' || !name.startsWith('providers.'));
  const faulty = shown.filter(({ status }) => status !== 'pass');
  return (
    <section aria-label="Health of the server">
      {faulty.length > 0 && <PartList parts={faulty} />}
      <details>
        <summary>
          {faulty.length === 0 ? `All ${shown.length} parts of the server are healthy` : `All ${shown.length} parts`}
        </summary>
        <PartList parts={shown} />
      </details>
    </section>
  );
}

function PartList({ parts }: { readonly parts: Parts }) {
  return (
    <ul class="parts">
      {parts.map(({ name, status }) => (
        <li key={name}>
          {name} <Badge kind={kinds[status]}>{words[status]}</Badge>
        </li>
      ))}
    </ul>
  );
}
