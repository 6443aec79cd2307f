import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useConsole } from './console-context.ts';

/** Something that is read from the server. */
export interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly reload: () => void;
}

/**
 * Read something when the component is shown, when `on` changes, and when the connection came back. What was read before is
 * shown until then.
 */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, on: readonly unknown[] = []): Loaded<T> {
  const { api } = useConsole();
  const data = useSignal<T | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const round = useSignal(0);
  useEffect(() => {
    const controller = new AbortController();
    const run = async (): Promise<void> => {
      try {
        data.value = await load(controller.signal);
        error.value = undefined;
      } catch (failure) {
        if (!controller.signal.aborted) error.value = failure;
      }
    };
    void run();
    return () => controller.abort();
  }, [...on, round.value, generationOf(api)]);
  const reload = (): void => {
    round.value += 1;
  };
  return { data: data.value, error: error.value, reload };
}

const generationOf = ({ generation }: { readonly generation: ReadonlySignal<number> }): number => generation.value;
