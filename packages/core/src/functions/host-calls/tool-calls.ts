import { fitsGlob } from '@patchbay/contracts/base/names';
import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { JsonObject, JsonValue } from '@patchbay/contracts/json';
import type { ToolResult } from '@patchbay/contracts/tool-server';
import { fieldsOf } from '@patchbay/outbound/provider-kit/json-fields';
import type { MountedTool } from '../../tools/admit-tools.ts';
import type { ToolCatalog } from '../../tools/tool-catalog.ts';
import type { ServeCall } from './open-host-calls.ts';

/** Bytes of a call, as for the body of an execution. */
export const TOOL_CALL_BYTES = 1_048_576;

/**
 * Tool calls for the code of one run. A tool with an output schema returns its value, any other its text.
 *
 * @param granted The tools that the function may call: `docs.search`, `docs.*`.
 */
export function serveToolCall(tools: () => ToolCatalog, granted: readonly string[]): ServeCall {
  return async (given: JsonValue, context: RequestContext) => {
    const { id, input } = readCall(given);
    requireGrant([id], granted);
    const [tool] = await tools().find(id, context);
    if (!tool) throw new Error(`no tool was found by ${id}`);
    return toolValue(tool, await tools().call(tool, input, context));
  };
}

const MESSAGE_LENGTH = 2_000;

/**
 * The result of a tool for code: its value, or its text if it has no output schema.
 *
 * @throws PatchbayError `tool_failed` if the tool itself failed.
 */
export function toolValue({ id, output }: MountedTool, { text, value, isError }: ToolResult): JsonValue {
  if (isError) throw new PatchbayError('tool_failed', `the tool ${id} failed: ${text.slice(0, MESSAGE_LENGTH)}`);
  return output === undefined ? text : (value ?? null);
}

/**
 * @throws PatchbayError `tool_not_found` for a tool that the function was not granted: it does not learn which ones
 * exist.
 */
export function requireGrant(names: readonly string[], granted: readonly string[]): void {
  const refused = names.find((name) => !granted.some((pattern) => fitsGlob(pattern, name)));
  if (refused === undefined) return;
  throw new PatchbayError('tool_not_found', `this function may not call a tool "${refused.slice(0, 200)}"`);
}

function readCall(given: JsonValue): { readonly id: string; readonly input: JsonObject } {
  const { server, tool, input } = fieldsOf(given) ?? {};
  const fault = (pointer: string, detail: string) =>
    new PatchbayError('invalid_request', `a call of a tool needs its server, its name and an input: ${detail}`, {
      errors: [{ pointer, code: 'type', detail }],
    });
  if (typeof server !== 'string') throw fault('/server', 'the server must be a string');
  if (typeof tool !== 'string' || tool === '*') throw fault('/tool', 'the name must be that of one tool');
  const object = fieldsOf(input) as JsonObject | undefined;
  if (!object) throw fault('/input', 'the input must be an object');
  return { id: `${server}.${tool}`, input: object };
}
