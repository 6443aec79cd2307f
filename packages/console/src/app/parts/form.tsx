import { useSignal } from '@preact/signals';
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useId } from 'preact/hooks';
import { ApiError, type FieldFault } from '../api/api-error.ts';
import { ErrorView } from './error-view.tsx';

export type FormValues = Readonly<Record<string, string>>;

interface FormProps {
  /** Text of the button. */
  readonly submit: string;
  /** Gets the values of the fields by name; those of checked boxes of one name are separated by spaces. A refusal is shown, at the field that it is about where there is one. */
  readonly onSubmit: (values: FormValues) => Promise<void> | void;
  /** Cancels the submission while it is in progress. Absent: it cannot be cancelled. */
  readonly onStop?: (() => void) | undefined;
  /** Gets the values at every change. */
  readonly onValues?: ((values: FormValues) => void) | undefined;
  readonly children: ComponentChildren;
}

const faultsContext = createContext<readonly FieldFault[]>([]);

/** A form whose fields keep their own values. */
export function Form({ submit, onSubmit, onStop, onValues, children }: FormProps) {
  const error = useSignal<unknown>(undefined);
  const busy = useSignal(false);
  const send = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    busy.value = true;
    try {
      await onSubmit(valuesOf(form));
      error.value = undefined;
    } catch (failure) {
      error.value = failure;
    } finally {
      busy.value = false;
    }
  };
  const faults = error.value instanceof ApiError ? error.value.faults : [];
  return (
    <form onSubmit={(event) => void send(event)} onInput={(event) => onValues?.(valuesOf(event.currentTarget))}>
      <faultsContext.Provider value={faults}>{children}</faultsContext.Provider>
      {error.value !== undefined && <ErrorView error={error.value} />}
      <button class="primary" type="submit" disabled={busy.value} aria-busy={busy.value}>
        {submit}
      </button>
      {busy.value && onStop && (
        <button type="button" onClick={onStop}>
          Stop
        </button>
      )}
    </form>
  );
}

function valuesOf(form: HTMLFormElement): FormValues {
  const data = new FormData(form);
  return Object.fromEntries(
    [...new Set(data.keys())].map((name) => [
      name,
      data
        .getAll(name)
        .filter((value) => typeof value === 'string')
        .join(' '),
    ]),
  );
}

interface FieldProps {
  /** Key of the value, and of the member of the body that a refusal points to. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
}

/** A label, a control, and what is wrong with its value. */
export function Field(
  props: FieldProps & {
    readonly control: (attributes: {
      id: string;
      name: string;
      'aria-describedby': string;
      'aria-invalid': boolean;
    }) => ComponentChildren;
  },
) {
  const { name, label, hint, control } = props;
  const id = useId();
  const fault = useFault(name);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {control({ id, name, 'aria-describedby': `${id}-hint`, 'aria-invalid': fault !== undefined })}
      <p class={fault ? 'fault' : 'quiet'} id={`${id}-hint`}>
        {fault?.detail ?? hint}
      </p>
    </div>
  );
}

function useFault(name: string): FieldFault | undefined {
  const faults = useContext(faultsContext);
  return faults.find(({ pointer }) => pointer === `?${name}` || `${pointer}/`.startsWith(`/${name}/`));
}

/** Check boxes, several of which can be checked. */
export function CheckList(
  props: FieldProps & { readonly options: readonly string[]; readonly checked?: readonly string[] },
) {
  const { name, label, hint, options, checked = [] } = props;
  const fault = useFault(name);
  return (
    <fieldset class="field check-list">
      <legend>{label}</legend>
      <div>
        {options.map((option) => (
          <label key={option}>
            <input type="checkbox" name={name} value={option} defaultChecked={checked.includes(option)} /> {option}
          </label>
        ))}
      </div>
      <p class={fault ? 'fault' : 'quiet'}>{fault?.detail ?? hint}</p>
    </fieldset>
  );
}

export function TextField(
  props: FieldProps & {
    readonly value?: string;
    readonly type?: 'text' | 'password' | 'number' | 'search' | 'url' | 'datetime-local';
    readonly required?: boolean;
    readonly autocomplete?: 'current-password' | 'off';
    readonly placeholder?: string;
  },
) {
  const { name, label, hint, value = '', type = 'text', autocomplete = 'off', ...rest } = props;
  return (
    <Field
      name={name}
      label={label}
      {...(hint !== undefined && { hint })}
      control={(attributes) => (
        <input
          {...attributes}
          {...rest}
          type={type as 'text'}
          autocomplete={autocomplete}
          defaultValue={value}
          step="any"
        />
      )}
    />
  );
}

export function TextArea(
  props: FieldProps & { readonly value?: string; readonly rows?: number; readonly required?: boolean },
) {
  const { name, label, hint, value = '', rows = 4, ...rest } = props;
  return (
    <Field
      name={name}
      label={label}
      {...(hint !== undefined && { hint })}
      control={(attributes) => <textarea {...attributes} {...rest} rows={rows} defaultValue={value} />}
    />
  );
}

export function SelectField(
  props: FieldProps & {
    readonly value?: string;
    readonly options: readonly { readonly value: string; readonly title: string }[];
  },
) {
  const { name, label, hint, value, options } = props;
  return (
    <Field
      name={name}
      label={label}
      {...(hint !== undefined && { hint })}
      control={(attributes) => (
        <select {...attributes}>
          {options.map((option) => (
            <option key={option.value} value={option.value} selected={option.value === value}>
              {option.title}
            </option>
          ))}
        </select>
      )}
    />
  );
}
