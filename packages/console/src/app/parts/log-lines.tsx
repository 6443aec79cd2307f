import { clockText, utcText } from './time.tsx';

/** A line that code has logged. */
export interface LogLine {
  readonly level?: string;
  readonly message?: string;
  readonly time?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** The lines that code has logged, as they come. */
export function LogLines({ lines }: { readonly lines: readonly LogLine[] }) {
  return (
    <ol class="log" aria-label="Logs">
      {lines.map(({ level = 'info', message, time = '', fields }, index) => (
        <li key={index} class={level}>
          <time title={utcText(time)}>{clockText(time)}</time> <span>{level}</span> {message}
          {fields && <code> {JSON.stringify(fields)}</code>}
        </li>
      ))}
    </ol>
  );
}
