import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useConsole } from '../frame/console-context.ts';

/** A page of a list as the API returns it. */
export interface ListPage<T> {
  readonly data: readonly T[];
  readonly meta?: { readonly total?: number; readonly nextCursor?: string };
}

/** Where the rows of a list come from. */
export interface ListSource<T> {
  /** Reads a page: of a list operation with `cursor`, or everything at once. */
  readonly load: (cursor: string | undefined, signal: AbortSignal) => Promise<ListPage<T>>;
  /** Newer rows, for the top of the list; they may include some that are already there. */
  readonly follow?: ((newest: T | undefined, signal: AbortSignal) => AsyncIterable<T>) | undefined;
  /** The values that pages depend on, such as filters: a change begins at the top. */
  readonly on?: readonly unknown[];
  readonly rowKey: (row: T) => string;
}

interface KeysetList<T> {
  readonly rows: readonly T[];
  /** How many rows arrived after those that were read first. */
  readonly added: number;
  readonly total: number | undefined;
  readonly error: unknown;
  readonly isComplete: boolean;
  readonly more: () => void;
  readonly retry: () => void;
}

interface State<T> {
  readonly rows: T[];
  readonly added: number;
  readonly cursor?: string | undefined;
  readonly total?: number | undefined;
  readonly isComplete: boolean;
  readonly error?: unknown;
}

const nothing = <T>(): State<T> => ({ rows: [], added: 0, isComplete: false });

/** Rows that arrive together are shown together. */
const TOGETHER_MS = 100;

/** Number of first rows among which duplicates are searched. */
const TOP_ROWS = 200;

/** A list that has grown by this many rows restarts at the top, so that an open page does not grow without bound. */
const MOST_ADDED = 5_000;

/** Reads a list page by page, from the top whenever `on` changes or the connection is restored. */
export function useKeysetList<T>({ load, follow, on = [], rowKey }: ListSource<T>): KeysetList<T> {
  const { api } = useConsole();
  const state = useSignal<State<T>>(nothing());
  const round = useRef<AbortController | undefined>(undefined);
  const reading = useRef(false);
  const renewals = useSignal(0);
  const read = async (controller: AbortController, before: State<T>): Promise<void> => {
    if (reading.current && round.current === controller) return;
    round.current = controller;
    reading.current = true;
    try {
      const { data, meta } = await load(before.cursor, controller.signal);
      if (controller.signal.aborted) return;
      const cursor = meta?.nextCursor;
      const { rows, added } = before.cursor === undefined ? nothing<T>() : state.peek();
      // In place: with 100,000 rows, a copy for each page would be most of the work.
      rows.push(...data);
      state.value = { rows, added, cursor, total: meta?.total ?? before.total, isComplete: cursor === undefined };
    } catch (error) {
      // Rows may have arrived meanwhile.
      if (!controller.signal.aborted) state.value = { ...(before.cursor === undefined ? before : state.peek()), error };
    } finally {
      if (round.current === controller) reading.current = false;
    }
  };
  const add = (come: readonly T[]): void => {
    const { rows, added, ...rest } = state.peek();
    const known = new Set(rows.slice(0, TOP_ROWS).map(rowKey));
    const fresh = come.filter((row) => !known.has(rowKey(row))).toReversed();
    if (added + fresh.length > MOST_ADDED) renewals.value += 1;
    else if (fresh.length > 0) state.value = { ...rest, rows: [...fresh, ...rows], added: added + fresh.length };
  };
  const addAll = async ({ signal }: AbortController): Promise<void> => {
    if (state.peek().error !== undefined) return;
    let together: T[] = [];
    for await (const row of follow?.(state.peek().rows[0], signal) ?? []) {
      if (signal.aborted) return;
      if (together.push(row) > 1) continue;
      setTimeout(() => {
        if (!signal.aborted) add(together);
        together = [];
      }, TOGETHER_MS);
    }
  };
  useEffect(() => {
    const controller = new AbortController();
    read(controller, nothing())
      .then(() => addAll(controller))
      .catch((error: unknown) => {
        if (!controller.signal.aborted) state.value = { ...state.peek(), error };
      });
    return () => controller.abort();
  }, [...on, follow === undefined, renewals.value, api.generation.value]);
  const next = (): void => {
    if (round.current) void read(round.current, { ...state.value, error: undefined });
  };
  const { rows, added, total, error, isComplete } = state.value;
  const more = (): void => {
    if (rows.length > 0 && error === undefined && !isComplete) next();
  };
  return { rows, added, total: total && total + added, error, isComplete, more, retry: next };
}

/** The query of a page, newest rows first. */
export function newestFirst(cursor: string | undefined) {
  return { limit: 100, order: 'desc', ...(cursor !== undefined && { cursor }) } as const;
}
