import { type Console, useConsole } from '../../frame/console-context.ts';
import type { FormValues } from '../../parts/form.tsx';
import type { KeptInput } from '../../parts/schema-form.tsx';

const keyOf = (id: string): string => `input of ${id}`;

/** The input with which a function is tried, as last written: even after the function was saved, or another screen. */
export function useKeptInput(id: string): KeptInput {
  const { drafts } = useConsole();
  return {
    values: (drafts.get(keyOf(id)) ?? {}) as FormValues,
    keep: (values) => void drafts.set(keyOf(id), values),
  };
}

/** Pass the input on to the function that was created from the draft it was written for. */
export function moveInput(drafts: Console['drafts'], from: string, to: string): void {
  const values = drafts.get(keyOf(from));
  if (values === undefined) return;
  drafts.delete(keyOf(from));
  drafts.set(keyOf(to), values);
}
