import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { useConsole } from '../frame/console-context.ts';
import { Form, type FormValues } from './form.tsx';

interface ActionProps {
  readonly title: string;
  /** What has happened, in a notice. */
  readonly done: string;
  readonly run: (values: FormValues) => Promise<unknown>;
  /** What to know before, and fields, shown in a dialog. Absent: the action runs at once. */
  readonly children?: ComponentChildren;
  readonly danger?: boolean;
}

/** A button that changes something on the server. */
export function ActionButton(props: ActionProps) {
  const { title, children, danger = false } = props;
  const { notices } = useConsole();
  const dialog = useRef<HTMLDialogElement>(null);
  const busy = useSignal(false);
  const run = async (): Promise<void> => {
    busy.value = true;
    try {
      await props.run({});
      notices.show(props.done);
    } catch (error) {
      notices.show(error instanceof Error ? error.message : String(error), 'failed');
    } finally {
      busy.value = false;
    }
  };
  const runAsked = async (values: FormValues): Promise<void> => {
    await props.run(values);
    dialog.current?.close();
    notices.show(props.done);
  };
  const start = (): void => (children === undefined ? void run() : dialog.current?.showModal());
  return (
    <>
      <button type="button" class={danger ? 'danger' : ''} disabled={busy.value} onClick={start}>
        {title}
      </button>
      {children !== undefined && (
        <dialog class="ask" ref={dialog} aria-label={title}>
          <Form submit={title} onSubmit={runAsked}>
            <h2>{title}</h2>
            {children}
          </Form>
          <button type="button" class="plain" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </dialog>
      )}
    </>
  );
}
