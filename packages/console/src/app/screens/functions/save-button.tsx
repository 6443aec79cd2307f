import { type Signal, useSignal } from '@preact/signals';
import { useCommands } from '../../frame/commands.ts';
import { useConsole } from '../../frame/console-context.ts';

/** Saves what is being written, also by a command. A refusal is passed to where the editor shows it. */
export function SaveButton(props: {
  readonly save: () => Promise<void>;
  readonly error: Signal<unknown>;
  /** Whether there is something to save. */
  readonly isOpen: boolean;
}) {
  const { notices } = useConsole();
  const busy = useSignal(false);
  const save = async (): Promise<void> => {
    busy.value = true;
    try {
      await props.save();
      props.error.value = undefined;
      notices.show('Saved.');
    } catch (failure) {
      props.error.value = failure;
    } finally {
      busy.value = false;
    }
  };
  useCommands([{ title: 'Save the function', run: () => void save() }], [props.save]);
  return (
    <button type="button" class="primary" disabled={busy.value || !props.isOpen} onClick={() => void save()}>
      Save
    </button>
  );
}
