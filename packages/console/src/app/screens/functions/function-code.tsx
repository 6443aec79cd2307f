import { useSignal } from '@preact/signals';
import type { Function as StoredFunction } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Page } from '../../parts/page.tsx';
import { draftOf, inputOf } from './draft.ts';
import { FunctionEditor } from './function-editor.tsx';
import { SaveButton } from './save-button.tsx';
import { TryIt } from './try-it.tsx';
import { useDraft } from './use-draft.ts';
import type { ViewProps } from './view-props.ts';

interface FunctionCodeProps extends ViewProps {
  readonly saved: StoredFunction;
  /** Of what was read, so that a later change by someone else is not overwritten. */
  readonly etag: string;
  readonly reload: () => void;
}

/** The editor of a saved function. */
export function FunctionCode({ page, head, saved, etag, reload }: FunctionCodeProps) {
  const { api, router } = useConsole();
  const { draft, isSame } = useDraft(saved.id, draftOf(saved), etag);
  const error = useSignal<unknown>(undefined);
  const path = { id: saved.id };
  const save = async (): Promise<void> => {
    await api.call('replaceFunction', { path, body: inputOf(draft.value), headers: { 'If-Match': etag } });
    reload();
  };
  const remove = async (): Promise<void> => {
    await api.call('deleteFunction', { path });
    router.go(linkTo(['functions']));
  };
  const actions = (
    <>
      {api.may('listCalls') && (
        <a class="button" href={linkTo(['calls'], { function: saved.id })}>
          Calls
        </a>
      )}
      {api.may('deleteFunction') && (
        <ActionButton title="Delete" done="The function is deleted." danger run={remove}>
          <p>Calls of {saved.name} fail from now on, or go to a model.</p>
        </ActionButton>
      )}
      {api.may('replaceFunction') && <SaveButton save={save} error={error} isOpen={!isSame} />}
    </>
  );
  return (
    <Page {...page} actions={actions}>
      {head}
      <div class="workbench">
        <FunctionEditor draft={draft} error={error.value} />
        <TryIt draft={draft.value} saved={{ id: saved.id, isSame }} />
      </div>
    </Page>
  );
}
