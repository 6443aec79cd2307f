import { useSignal } from '@preact/signals';
import type { CallRecord, Execution } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { CodeBlock } from '../../parts/code-block.tsx';
import { callSnippets } from './call-snippets.ts';

interface AgainProps {
  readonly call: CallRecord;
  readonly execution: Execution | undefined;
}

/** Code that makes the same call. */
export function CallAgain({ call, execution }: AgainProps) {
  const { api } = useConsole();
  const chosen = useSignal(0);
  const base = new URL(api.url('chat'), location.href).href.replace(/\/chat$/, '');
  const snippets = callSnippets({ ...call, input: execution?.input }, base);
  const shown = snippets[chosen.value];
  return (
    <section aria-label="Call it again">
      <h2>Call it again</h2>
      <div class="actions" role="group" aria-label="Language">
        {snippets.map(({ title }, index) => (
          <button
            key={title}
            type="button"
            aria-pressed={index === chosen.value}
            onClick={() => {
              chosen.value = index;
            }}
          >
            {title}
          </button>
        ))}
      </div>
      {shown && <CodeBlock label={shown.title} text={shown.text} />}
      {!execution && <p class="quiet">A placeholder stands for the content of the call.</p>}
    </section>
  );
}
