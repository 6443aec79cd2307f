import type { Context } from '@opentelemetry/api';
import type { RequestContext } from '@patchbay/core/plugin';

/** The context of whoever sent a request, by the `traceparent` of W3C Trace Context; an empty one where there is none. */
export function parentOf(trace: RequestContext['trace'], api: typeof import('@opentelemetry/api')): Context {
  const [version, traceId, spanId, flags] = trace?.traceparent.split('-') ?? [];
  if (version === undefined || version === 'ff' || !traceId || !spanId || !flags) return api.ROOT_CONTEXT;
  const traceState = trace?.tracestate === undefined ? {} : { traceState: api.createTraceState(trace.tracestate) };
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true, ...traceState };
  return api.isSpanContextValid(parent) ? api.trace.setSpanContext(api.ROOT_CONTEXT, parent) : api.ROOT_CONTEXT;
}
