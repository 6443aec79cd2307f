import { diffLines } from 'diff';

/** The lines that differ between two texts, with a few around them. */
export function DiffView(props: { readonly label: string; readonly before: string; readonly after: string }) {
  const { label, before, after } = props;
  if (before === after) return null;
  const parts = diffLines(before, after);
  return (
    <figure class="code">
      <figcaption>{label}</figcaption>
      <pre class="diff">
        {parts.map(({ value, added, removed }, index) => {
          const sign = added ? '+' : removed ? '-' : ' ';
          const lines = value.replace(/\n$/, '').split('\n');
          const text = lines.map((line) => `${sign} ${line}\n`).join('');
          if (added) return <ins key={index}>{text}</ins>;
          return removed ? <del key={index}>{text}</del> : <span key={index}>{text}</span>;
        })}
      </pre>
    </figure>
  );
}
