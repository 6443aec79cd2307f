import { type Console, useConsole } from '../../frame/console-context.ts';
import type { FormValues } from '../../parts/form.tsx';
import type { KeptInput } from '../../parts/schema-form.tsx';

const keyOf = (id: string): string => `input of ${id}`;

/** The input with which a function is tried, as it was written last: also after the function was saved, or another screen. */
export function useKeptInput(id: string): KeptInput {
  const { drafts } = useConsole();
  return {
    values: (drafts.get(keyOf(id)) ?? {}) as FormValues,
    keep: (values) => void drafts.set(keyOf(id), values),
  };
}

/** Give the input to the function that was made of what it was written for. */
export function moveInput(drafts: Console['drafts'], from: string, to: string): void {
  const values = drafts.get(keyOf(from));
  if (values === undefined) return;
  drafts.delete(keyOf(from));
  drafts.set(keyOf(to), values);
}
