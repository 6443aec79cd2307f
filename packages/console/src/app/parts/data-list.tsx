import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { useConsole } from '../frame/console-context.ts';
import { ErrorView } from './error-view.tsx';
import { type ListSource, useKeysetList } from './use-keyset-list.ts';

export interface Column<T> {
  readonly title: string;
  /** Width as a track of a CSS grid. Default: `minmax(0, 1fr)`. */
  readonly width?: string;
  /** Left out if there is no room for it. */
  readonly wide?: boolean;
  /** Width if there is little room. Default: `width`. */
  readonly narrow?: string;
  /** Aligned at the end, with digits of one width. */
  readonly number?: boolean;
  readonly cell: (row: T) => ComponentChildren;
}

interface DataListProps<T> extends ListSource<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  /** Where a row leads, if it leads anywhere. */
  readonly href?: (row: T) => string | undefined;
  /** Shown in place of a list without rows. */
  readonly empty: ComponentChildren;
}

const ROW_PX = 36;
/** Rows kept beyond the edges of the view, so that fast scrolling shows no gap. */
const SPARE_ROWS = 12;

/**
 * A list that stays fast with any number of rows: only those in view are in the page, and the next page is read when its end
 * comes near. Arrow keys move between rows, and Enter opens one.
 */
export function DataList<T>({ label, columns, href, empty, ...source }: DataListProps<T>) {
  const { on = [], rowKey } = source;
  const { router } = useConsole();
  const view = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const active = useSignal(-1);
  const id = useId();
  const { rows, added, total, error, isComplete, more, retry } = useKeysetList(source);
  const before = useRef(0);
  const height = view.current?.clientHeight ?? 800;
  const first = Math.max(0, Math.floor(top.value / ROW_PX) - SPARE_ROWS);
  const last = Math.min(rows.length, Math.ceil((top.value + height) / ROW_PX) + SPARE_ROWS);
  const isNearEnd = !isComplete && last + SPARE_ROWS >= rows.length;
  useEffect(() => {
    if (isNearEnd) more();
  }, [isNearEnd, rows.length]);
  useEffect(() => {
    active.value = -1;
    view.current?.scrollTo({ top: 0 });
  }, on);
  useLayoutEffect(() => {
    const come = added - before.current;
    before.current = added;
    if (come <= 0) return;
    if (active.value >= 0) active.value += come;
    // What the person is reading stays in place.
    if (view.current && view.current.scrollTop > 0) view.current.scrollTop += come * ROW_PX;
  }, [added]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = nextRow(event.key, active.value, rows.length);
    const row = rows[active.value];
    const place = row === undefined ? undefined : href?.(row);
    if (event.key === 'Enter' && place !== undefined) router.go(place);
    if (next === undefined) return;
    event.preventDefault();
    active.value = next;
    showRow(view.current, next);
  };
  if (error !== undefined && rows.length === 0) return <ErrorView error={error} onRetry={retry} />;
  if (isComplete && rows.length === 0) return <>{empty}</>;
  const tracks = columns.map(({ width = 'minmax(0, 1fr)' }) => width).join(' ');
  const narrowTracks = columns
    .flatMap(({ width = 'minmax(0, 1fr)', narrow = width, wide }) => (wide ? [] : [narrow]))
    .join(' ');
  return (
    <div class="list" style={{ '--tracks': tracks, '--narrow-tracks': narrowTracks }}>
      <div
        class="list-view"
        role="grid"
        aria-label={label}
        aria-rowcount={isComplete ? rows.length + 1 : -1}
        aria-activedescendant={active.value >= 0 ? `${id}-${active.value}` : undefined}
        tabIndex={0}
        ref={view}
        onScroll={(event) => {
          top.value = event.currentTarget.scrollTop;
        }}
        onKeyDown={onKeyDown}
      >
        <div class="row head" role="row" aria-rowindex={1}>
          {columns.map((column) => (
            <span key={column.title} role="columnheader" class={cellClass(column)}>
              {column.title}
            </span>
          ))}
        </div>
        <div class="list-rows" role="rowgroup" style={{ height: `${rows.length * ROW_PX}px` }}>
          {rows.slice(first, last).map((row, index) => (
            <Row
              key={rowKey(row)}
              id={`${id}-${first + index}`}
              index={first + index}
              isActive={first + index === active.value}
              {...{ row, columns }}
              href={href?.(row)}
            />
          ))}
        </div>
      </div>
      <p class="list-foot quiet">
        {rows.length.toLocaleString()}
        {total !== undefined && total > rows.length && ` of ${total.toLocaleString()}`}{' '}
        {rows.length === 1 ? 'row' : 'rows'}
        {!isComplete && ' …'}
      </p>
      {error !== undefined && <ErrorView error={error} onRetry={retry} />}
    </div>
  );
}

function Row<T>(props: {
  readonly id: string;
  readonly row: T;
  readonly index: number;
  readonly columns: readonly Column<T>[];
  readonly isActive: boolean;
  readonly href: string | undefined;
}) {
  const { id, row, index, columns, isActive, href } = props;
  return (
    <div
      class="row"
      role="row"
      id={id}
      aria-rowindex={index + 2}
      aria-selected={isActive}
      style={{ transform: `translateY(${index * ROW_PX}px)` }}
    >
      {columns.map((column, at) => (
        <span key={column.title} role="gridcell" class={cellClass(column)}>
          {at === 0 && href !== undefined ? (
            <a href={href} tabIndex={-1}>
              {column.cell(row)}
            </a>
          ) : (
            column.cell(row)
          )}
        </span>
      ))}
    </div>
  );
}

function cellClass({ wide, number }: { readonly wide?: boolean; readonly number?: boolean }): string {
  return `${wide ? 'wide' : ''} ${number ? 'number' : ''}`.trim();
}

function nextRow(key: string, at: number, count: number): number | undefined {
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: count - 1, PageDown: at + 15, PageUp: at - 15 }[key];
  return to === undefined ? undefined : Math.max(0, Math.min(count - 1, to));
}

/** Scroll only as far as needed; the header covers the height of one row. */
function showRow(view: HTMLElement | null, index: number): void {
  if (!view) return;
  const above = index * ROW_PX;
  const below = above + 2 * ROW_PX - view.clientHeight;
  if (view.scrollTop > above) view.scrollTo({ top: above });
  else if (view.scrollTop < below) view.scrollTo({ top: below });
}
