import { useSignal } from '@preact/signals';
import type { CallRecord } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { useLoad } from '../../frame/use-load.ts';
import { Badge } from '../../parts/badge.tsx';
import { ErrorView } from '../../parts/error-view.tsx';
import { durationText } from '../../parts/figures.ts';
import { type TraceRow, traceRows } from './trace-rows.ts';

const titles: Readonly<Record<TraceRow['kind'], string>> = {
  queue: 'In the queue',
  code: 'Code',
  answer: 'Answer',
  attempt: 'Attempt',
  repair: 'Repair',
  tool: 'Tool',
  fetch: 'Request',
  call: 'Call',
  omitted: 'Further steps, which were not recorded',
};

/** Milliseconds that the bars share, and where they begin. */
interface Scale {
  readonly fromMs: number;
  readonly lengthMs: number;
}

/** The waterfall of a call: everything that took time, with why it failed. */
export function CallTrace({ call }: { readonly call: CallRecord }) {
  const queuedMs = call.queuedMs ?? 0;
  return (
    <section aria-label="Trace">
      <h2>Trace</h2>
      <ol class="trace">
        <TraceRows call={call} offsetMs={0} scale={{ fromMs: -queuedMs, lengthMs: queuedMs + call.durationMs || 1 }} />
      </ol>
    </section>
  );
}

interface RowsProps {
  readonly call: CallRecord;
  /** When the call began, in the time of the outermost one. */
  readonly offsetMs: number;
  readonly scale: Scale;
}

function TraceRows({ call, offsetMs, scale }: RowsProps) {
  return (
    <>
      {traceRows(call).map((row, index) => (
        <TraceStep key={index} row={{ ...row, atMs: row.atMs + offsetMs }} scale={scale} />
      ))}
    </>
  );
}

function TraceStep({ row, scale }: { readonly row: TraceRow; readonly scale: Scale }) {
  const { kind, name, id, code, detail, errors = [], atMs, durationMs } = row;
  const isOpen = useSignal(false);
  const share = (ms: number): string => `${Math.max(0, Math.min(100, (ms / scale.lengthMs) * 100))}%`;
  return (
    <li>
      <div class="trace-row">
        <span class="trace-name">
          <span class="quiet">{titles[kind]}</span>{' '}
          {id === undefined ? name : <a href={linkTo(['calls', id])}>{name}</a>}
          {code !== undefined && <Badge kind="bad">{code}</Badge>}
        </span>
        <span class="trace-track" aria-hidden="true">
          <span
            class={`trace-bar ${code === undefined ? kind : 'failed'}`}
            style={{ left: share(atMs - scale.fromMs), width: share(durationMs) }}
          />
        </span>
        <span class="number" title={`From ${durationText(atMs)} on`}>
          {kind !== 'omitted' && durationText(durationMs)}
        </span>
      </div>
      {detail !== undefined && <p class="trace-note">{detail}</p>}
      {errors.map((fault) => (
        <p class="trace-note" key={fault.pointer + fault.detail}>
          <code>{fault.pointer}</code> {fault.detail}
        </p>
      ))}
      {kind === 'call' && id !== undefined && (
        <>
          <button
            type="button"
            class="plain trace-more"
            aria-expanded={isOpen.value}
            onClick={() => {
              isOpen.value = !isOpen.value;
            }}
          >
            {isOpen.value ? 'Hide its steps' : 'Show its steps'}
          </button>
          {isOpen.value && <ChildRows id={id} offsetMs={atMs} scale={scale} />}
        </>
      )}
    </li>
  );
}

function ChildRows({ id, offsetMs, scale }: Omit<RowsProps, 'call'> & { readonly id: string }) {
  const { api } = useConsole();
  const { data: call, error, reload } = useLoad((signal) => api.call('getCall', { path: { id }, signal }), [id]);
  if (error !== undefined) return <ErrorView error={error} onRetry={reload} />;
  return <ol class="trace">{call && <TraceRows call={call} offsetMs={offsetMs} scale={scale} />}</ol>;
}
