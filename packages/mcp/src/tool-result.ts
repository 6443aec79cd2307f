import type { CallToolResult } from '@modelcontextprotocol/server';
import { type App, jsonTextOf, PatchbayError } from '@patchbay/core';
import type { JsonObject, JsonValue } from '@patchbay/core/plugin';
import type { ExecutionRow } from '@patchbay/core/storage';

/** The output of a function. */
export function completed({ output }: Pick<ExecutionRow, 'output'>): CallToolResult {
  return structured(output as JsonObject);
}

/** A document, and the same as text for clients without structured content. */
export function structured(structuredContent: JsonObject): CallToolResult {
  return { content: [{ type: 'text', text: jsonTextOf(structuredContent) }], structuredContent };
}

/**
 * The failure of a function for a model: with the faults of its input, and with what the code has logged.
 *
 * As text only: clients check structured content against the output schema, which says nothing about failures.
 *
 * @throws unknown Every error that is not for the caller.
 */
export function failed(error: unknown, { host }: App): CallToolResult {
  if (!PatchbayError.is(error) || error.code === 'internal_error') throw error;
  const { code, message, extensions, retryAfter } = error;
  const { id, logs, calls } = (extensions['execution'] ?? {}) as {
    readonly id?: string;
    readonly logs?: readonly JsonValue[];
    readonly calls?: readonly JsonValue[];
  };
  const errors = error.errors.map(({ pointer, detail, line, column }) => ({
    pointer: pointer.replace(/^\/input(?=\/|$)/, ''),
    detail: host.redact(detail),
    ...(line !== undefined && { line, column }),
  }));
  const failure = {
    code,
    message: host.redact(message),
    ...(errors.length > 0 && { errors }),
    ...(retryAfter !== undefined && { retryAfterSeconds: retryAfter }),
    ...(id !== undefined && { executionId: id }),
    ...(logs !== undefined && logs.length > 0 && { logs }),
    ...(calls !== undefined && calls.length > 0 && { calls }),
  };
  return { content: [{ type: 'text', text: JSON.stringify(failure) }], isError: true };
}
