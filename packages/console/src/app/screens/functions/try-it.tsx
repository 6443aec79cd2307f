import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Schema } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { Badge } from '../../parts/badge.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { durationText } from '../../parts/figures.ts';
import { LogLines } from '../../parts/log-lines.tsx';
import { SchemaForm } from '../../parts/schema-form.tsx';
import { type Draft, inputOf, schemaOf } from './draft.ts';
import { type Run, runDraft, runSaved } from './runs.ts';
import { useKeptInput } from './use-kept-input.ts';

/** Runs a function with an input: the one that is saved, or the one in the editor if that differs. */
export function TryIt(props: {
  readonly draft: Draft;
  readonly saved?: { readonly id: string; readonly isSame: boolean };
}) {
  const { draft, saved } = props;
  const { api } = useConsole();
  const run = useSignal<Run | undefined>(undefined);
  const controller = useRef<AbortController | undefined>(undefined);
  const kept = useKeptInput(saved?.id ?? 'new');
  const stop = (): void => controller.current?.abort();
  const isSaved = saved?.isSame === true;
  const may = isSaved ? api.may('executeFunction') : api.may('testFunction');
  const schema = inputSchema(draft);
  if (!may || (!isSaved && draft.code.trim() === '')) return null;
  const start = async (input: Record<string, unknown>): Promise<void> => {
    run.value = { status: 'running', logs: [] };
    controller.current = new AbortController();
    const { signal } = controller.current;
    try {
      const runs =
        saved && isSaved ? runSaved(api, saved.id, draft, input, signal) : runDraft(api, inputOf(draft), input, signal);
      for await (const state of runs) run.value = state;
    } catch (error) {
      // The logs and the output so far stay.
      const { output, logs } = run.value;
      if (signal.aborted) run.value = { ...run.value, status: 'stopped' };
      else run.value = output === undefined && logs.length === 0 ? undefined : { ...run.value, status: 'failed' };
      if (!signal.aborted) throw error;
    }
  };
  return (
    <section class="try-it">
      <h2>Try it</h2>
      {!isSaved && <p class="quiet">Runs what is in the editor, and stores nothing.</p>}
      {schema ? (
        <SchemaForm key={draft.input} schema={schema} submit="Run" onSubmit={start} onStop={stop} kept={kept} />
      ) : (
        <p class="fault">The input schema is not valid JSON.</p>
      )}
      {run.value && <RunView run={run.value} />}
    </section>
  );
}

function RunView({ run }: { readonly run: Run }) {
  const { status, id, durationMs, output, error, logs, model } = run;
  const kind = status === 'completed' ? 'good' : status === 'running' ? 'plain' : 'bad';
  return (
    <div class="run" role="status" aria-busy={status === 'running'}>
      <p>
        <Badge kind={kind}>{status}</Badge> {durationMs !== undefined && `${durationText(durationMs)} `}
        {model} {id !== undefined && status !== 'running' && <a href={linkTo(['calls', id])}>Trace</a>}
      </p>
      {error && (
        <div class="error">
          <p>{error.message}</p>
          {error.code !== undefined && (
            <p class="quiet">
              <code>{error.code}</code>
            </p>
          )}
          {error.stack !== undefined && <pre>{error.stack}</pre>}
        </div>
      )}
      {logs.length > 0 && <LogLines lines={logs} />}
      {output !== undefined && <CodeBlock label="Output" text={JSON.stringify(output, null, 2)} />}
    </div>
  );
}

function inputSchema({ input }: Draft): Schema | undefined {
  try {
    return schemaOf(input, 'the input schema');
  } catch {
    return undefined;
  }
}
