import { useSignal } from '@preact/signals';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { Page } from '../../parts/page.tsx';
import { emptyDraft, inputOf } from './draft.ts';
import { FunctionEditor } from './function-editor.tsx';
import { SaveButton } from './save-button.tsx';
import { TryIt } from './try-it.tsx';
import { useDraft } from './use-draft.ts';
import { moveInput } from './use-kept-input.ts';

/** A function that is not saved yet. It can be tried anyway. */
export function NewFunction() {
  const { api, router, drafts } = useConsole();
  const { draft } = useDraft('new', emptyDraft);
  const error = useSignal<unknown>(undefined);
  const save = async (): Promise<void> => {
    const input = inputOf(draft.value);
    // A model responds: the one that the gateway chooses, until its settings say otherwise.
    const body = input.code?.trim() === '' ? { ...input, settings: {} } : input;
    const { id } = await api.call('createFunction', { body });
    draft.value = emptyDraft;
    moveInput(drafts, 'new', id);
    router.go(linkTo(['functions', id]));
  };
  return (
    <Page
      title="New function"
      trail={[{ title: 'Functions', href: linkTo(['functions']) }]}
      actions={<SaveButton save={save} error={error} isOpen />}
    >
      <div class="workbench">
        <FunctionEditor draft={draft} error={error.value} />
        <TryIt draft={draft.value} />
      </div>
    </Page>
  );
}
