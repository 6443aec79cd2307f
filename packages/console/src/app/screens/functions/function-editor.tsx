import { type Signal, useComputed } from '@preact/signals';
import { useId, useMemo } from 'preact/hooks';
import { ApiError } from '../../api/api-error.ts';
import type { Schema } from '../../api/operations.generated.ts';
import { CodeEditor } from '../../parts/code-editor.tsx';
import { ErrorView } from '../../parts/error-view.tsx';
import { completionsOf, typeOf } from './completions.ts';
import type { Draft } from './draft.ts';
import { schemaOf } from './draft.ts';

/** The fields of a function that is being written. Faults that the server found are shown in the code. */
export function FunctionEditor({ draft, error }: { readonly draft: Signal<Draft>; readonly error: unknown }) {
  const { name, description, code, input, output } = draft.value;
  const set = (change: Partial<Draft>): void => {
    draft.value = { ...draft.value, ...change };
  };
  const schemas = useComputed(() => ({ input: parsed(draft.value.input), output: parsed(draft.value.output) }));
  const faults = useMemo(() => placedFaults(error), [error]);
  const types = schemas.value;
  return (
    <div class="function-editor">
      <div class="function-names">
        <TextInput
          label="Name"
          value={name}
          fault={faultOf(error, '/name') && (name === '' ? 'A function needs a name.' : faultOf(error, '/name'))}
          onText={(text) => set({ name: text })}
        />
        <TextInput
          label="Purpose"
          value={description}
          fault={faultOf(error, '/description')}
          onText={(text) => set({ description: text })}
        />
      </div>
      <section>
        <h2>Code</h2>
        <p class="quiet signature">
          <code>
            (input: {types.input ? typeOf(types.input) : '…'}, context) =&gt;{' '}
            {types.output ? typeOf(types.output) : '…'}
          </code>
        </p>
        <CodeEditor
          label="Code"
          language="typescript"
          text={code}
          onText={(text) => set({ code: text })}
          faults={faults}
          words={completionsOf(types.input, types.output)}
          lines={18}
        />
        {code.trim() === '' && (
          <p class="quiet">
            Without code, a model answers: its prompt and its choice are in “Settings” of the saved function.
          </p>
        )}
      </section>
      {error !== undefined && !isBesideFields(error) && <ErrorView error={error} />}
      <div class="function-schemas">
        <section>
          <h2>Input schema</h2>
          <CodeEditor label="Input schema" language="json" text={input} onText={(text) => set({ input: text })} />
        </section>
        <section>
          <h2>Output schema</h2>
          <CodeEditor label="Output schema" language="json" text={output} onText={(text) => set({ output: text })} />
        </section>
      </div>
    </div>
  );
}

function TextInput(props: {
  readonly label: string;
  readonly value: string;
  readonly fault: string | undefined;
  readonly onText: (text: string) => void;
}) {
  const id = useId();
  const { label, value, fault, onText } = props;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        value={value}
        aria-invalid={fault !== undefined}
        aria-describedby={fault === undefined ? undefined : `${id}-fault`}
        onInput={(event) => onText(event.currentTarget.value)}
      />
      {fault !== undefined && (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}

/** Whether all faults are shown at their own fields. */
function isBesideFields(error: unknown): boolean {
  const faults = error instanceof ApiError ? error.faults : [];
  return faults.length > 0 && faults.every(({ pointer }) => ['/name', '/description'].includes(pointer));
}

function faultOf(error: unknown, pointer: string): string | undefined {
  return error instanceof ApiError ? error.faults.find((fault) => fault.pointer === pointer)?.detail : undefined;
}

function placedFaults(error: unknown) {
  if (!(error instanceof ApiError)) return [];
  return error.faults.flatMap(({ line, column = 1, detail }) => (line === undefined ? [] : [{ line, column, detail }]));
}

function parsed(text: string): Schema | undefined {
  try {
    return schemaOf(text, '');
  } catch {
    return undefined;
  }
}
