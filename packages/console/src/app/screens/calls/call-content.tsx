import type { Execution } from '../../api/operations.generated.ts';
import { CodeBlock } from '../../parts/code-block.tsx';
import { clockText } from '../../parts/time.tsx';

/** Input, logs and output of an execution. */
export function CallContent({ execution }: { readonly execution: Execution }) {
  const { input, output, error, logs, logsTruncated } = execution;
  return (
    <section aria-label="Input and output">
      <h2>Input and output</h2>
      <CodeBlock label="Input" text={pretty(input)} />
      {output && <CodeBlock label="Output" text={pretty(output)} />}
      {error && <CodeBlock label={`Error ${error.code ?? ''}`} text={errorText(error)} />}
      {logs.length > 0 && <CodeBlock label="Logs" text={logs.map(logLine).join('\n')} />}
      {logsTruncated && <p class="quiet">The end of the logs was cut off.</p>}
    </section>
  );
}

function logLine({ time = '', level = '', message = '', fields }: Execution['logs'][number]): string {
  const more = fields === undefined ? '' : ` ${JSON.stringify(fields)}`;
  return `${clockText(time)} ${level.padEnd(5)} ${message}${more}`;
}

/** The stack of an error, with only its positions. */
function errorText({ message = '', stack }: NonNullable<Execution['error']>): string {
  return stack === undefined ? message : `${message}\n${stack}`;
}

function pretty(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}
