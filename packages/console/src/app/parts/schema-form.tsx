import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Schema } from '../api/operations.generated.ts';
import { Form, type FormValues, SelectField, TextArea, TextField } from './form.tsx';

/** The content of a form, for the next time it is shown. */
export interface KeptInput {
  readonly values: FormValues;
  readonly keep: (values: FormValues) => void;
}

interface SchemaFormProps {
  readonly schema: Schema;
  readonly submit: string;
  readonly onSubmit: (input: Record<string, unknown>) => Promise<void>;
  readonly onStop?: () => void;
  /** The previous input, and where the current input is kept. */
  readonly kept?: KeptInput | undefined;
  /** After the fields. */
  readonly children?: ComponentChildren;
}

/** A form with a field for each property of a schema. What has no simple field is written as JSON. */
export function SchemaForm({ schema, submit, onSubmit, onStop, kept, children }: SchemaFormProps) {
  const values = kept?.values ?? {};
  const asJson = useSignal(values['input'] !== undefined);
  const members = Object.entries(schema.properties ?? {});
  const isJson = asJson.value || members.length === 0;
  const send = async (values: FormValues): Promise<void> => {
    if (isJson) return await onSubmit(parse(values['input'] ?? '', 'the input') as Record<string, unknown>);
    const given = members.flatMap(([name, member]) => {
      const text = values[`input/${name}`] ?? '';
      return text === '' && !isText(member, schema, name) ? [] : [[name, readValue(member, text, name)] as const];
    });
    await onSubmit(Object.fromEntries(given));
  };
  return (
    <Form submit={submit} onSubmit={send} onStop={onStop} onValues={kept?.keep}>
      {isJson && (
        <TextArea
          name="input"
          label="Input as JSON"
          rows={6}
          value={values['input'] ?? JSON.stringify(exampleOf(schema), null, 2)}
        />
      )}
      {!isJson &&
        members.map(([name, member]) => (
          <SchemaField
            key={name}
            name={name}
            schema={member}
            required={(schema.required ?? []).includes(name)}
            value={values[`input/${name}`] ?? ''}
          />
        ))}
      {children}
      {members.length > 0 && (
        <button
          type="button"
          class="plain"
          onClick={() => {
            asJson.value = !asJson.value;
          }}
        >
          {isJson ? 'Write as a form' : 'Write as JSON'}
        </button>
      )}
    </Form>
  );
}

function SchemaField(props: {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  /** As text; empty: none. */
  readonly value: string;
}) {
  const { schema, required, value } = props;
  const { description, default: standard, type } = schema;
  const label = required && standard === undefined ? props.name : `${props.name} (optional)`;
  const name = `input/${props.name}`;
  const hint = [description, standard !== undefined && `Default: ${JSON.stringify(standard)}.`]
    .filter(Boolean)
    .join(' ');
  const choices = type === 'boolean' ? [true, false] : schema.enum;
  if (choices) {
    const options = choices.map((choice) => ({ value: JSON.stringify(choice), title: String(choice) }));
    const none = required && standard === undefined ? [] : [{ value: '', title: '' }];
    return <SelectField {...{ name, label, hint, value }} options={[...none, ...options]} />;
  }
  if (type === 'integer' || type === 'number') return <TextField {...{ name, label, hint, value }} type="number" />;
  if (type === 'string') return <TextArea {...{ name, label, hint, value }} rows={2} />;
  return <TextArea {...{ name, label, value }} hint={`${hint} JSON.`.trim()} rows={3} />;
}

/** A required string may be empty; anything else that is empty is left out. */
function isText({ type, enum: choices, default: standard }: Schema, { required = [] }: Schema, name: string): boolean {
  return type === 'string' && !choices && standard === undefined && required.includes(name);
}

function readValue(schema: Schema, text: string, name: string): unknown {
  if (schema.type === 'string' && !schema.enum) return text;
  return parse(text, name);
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${name} is not valid JSON`);
  }
}

/** An input with everything that a schema requires, for a person to fill in. */
export function exampleOf({ properties = {}, required = [] }: Schema): Record<string, unknown> {
  const needed = required.filter((name) => properties[name]?.default === undefined);
  const valueFor = (name: string) =>
    ({ string: '', integer: 0, number: 0, boolean: false })[String(properties[name]?.type)];
  return Object.fromEntries(needed.map((name) => [name, valueFor(name) ?? null]));
}
