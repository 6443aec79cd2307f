import { type Signal, useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { useConsole } from '../../frame/console-context.ts';
import type { Draft } from './draft.ts';

interface Kept {
  readonly draft: Draft;
  /** Of the version that it is based on. */
  readonly etag: string;
}

/** A function that is being written. It survives a visit to another screen, unless someone else has saved meanwhile. */
export function useDraft(
  id: string,
  before: Draft,
  etag = '',
): { readonly draft: Signal<Draft>; readonly isSame: boolean } {
  const { drafts } = useConsole();
  const kept = drafts.get(id) as Kept | undefined;
  const draft = useSignal(kept?.etag === etag ? kept.draft : before);
  const isSame = JSON.stringify(draft.value) === JSON.stringify(before);
  // Before the next event: a later effect would miss the last key if the screen changes immediately.
  useLayoutEffect(() => {
    if (isSame) return void drafts.delete(id);
    drafts.set(id, { draft: draft.value, etag } satisfies Kept);
    // The browser asks before it closes the page.
    const hold = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', hold);
    return () => removeEventListener('beforeunload', hold);
  }, [draft.value]);
  return { draft, isSame };
}
