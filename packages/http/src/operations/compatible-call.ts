import { setImmediate } from 'node:timers/promises';
import type { App } from '@patchbay/core';
import type { RequestContext } from '@patchbay/core/plugin';
import type { RawBody } from '../operation.ts';
import { warningHeader } from '../output/warning-header.ts';
import { functionChatErrors } from './function-errors.ts';
import { modelErrors } from './gateway.ts';

export const limitBytes = 32 * 1_048_576;

/** The common parts of rows that call a model in the API of another vendor. */
export const compatibleCall = {
  method: 'POST',
  area: 'gateway',
  scope: 'gateway:invoke',
  limit: 'model',
  isModelCall: async () => true,
  success: { status: 200, headers: ['Patchbay-Call', 'Patchbay-Route', 'Patchbay-Warning'] },
  errors: [...modelErrors, 'stored_object_not_found'],
} as const;

/** In addition: for rows whose model can be a function. */
export const compatibleChat = {
  errors: [...compatibleCall.errors, ...functionChatErrors, 'schema_invalid', 'function_call_invalid'],
  isExecution({ body: { json } }: { readonly body: RawBody }, { services: { gateway } }: App): boolean {
    const { model } = (json ?? {}) as { readonly model?: unknown };
    return typeof model === 'string' && gateway.executes(model);
  },
} as const;

/** The context of a chat whose `metadata` names a subject, by which an experiment of a function assigns calls. */
export function aboutSubject({ json }: RawBody, context: RequestContext): RequestContext {
  const { metadata } = (json ?? {}) as { readonly metadata?: { readonly subject?: unknown } | null };
  const subject = metadata?.subject;
  return typeof subject === 'string' ? { ...context, subject } : context;
}

interface Called {
  readonly id: string;
  readonly route: string;
  /** For a stream, those that are known before its output. */
  readonly warnings: readonly string[];
}

/** The warnings of a parser: what is always left out, and what only some models receive. */
interface Requested {
  readonly warnings: readonly string[];
  readonly announced: readonly string[];
}

/** The headers of the response to a call, with the warnings about the request and those about the response. */
export function callHeaders({ id, route, warnings }: Called, request: Requested): Readonly<Record<string, string>> {
  // If a provider names what it did not send, announcing it is superfluous.
  const isNamed = warnings.some((warning) => warning.startsWith('members that only '));
  const announced = isNamed ? [] : request.announced;
  return {
    'Patchbay-Call': id,
    'Patchbay-Route': route,
    ...warningHeader([...request.warnings, ...announced, ...warnings]),
  };
}

/** Create something at its first use. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const LARGE_BYTES = 65_536;

/** A turn of the event loop between reading and translating a large request: each of them may use up its budget. */
export async function turnBetween({ topLevel }: RawBody): Promise<void> {
  if (topLevel.bytes.length > LARGE_BYTES) await setImmediate();
}
