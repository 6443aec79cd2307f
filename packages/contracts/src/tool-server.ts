import type { RequestContext } from './context.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { Lifecycle } from './lifecycle.ts';

/** A tool as its server describes it. Every member is untrusted text: the host checks it, and limits its size. */
export interface ServerTool {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments. */
  readonly input: JsonObject;
  /** JSON Schema of `value` of its results. Absent: they are text. */
  readonly output?: JsonObject;
}

/** The result of a tool that ran, even if the tool itself failed. */
export interface ToolResult {
  /** For a model: all texts of the result, concatenated. Other content is mentioned in it, with its type and size. */
  readonly text: string;
  /** For code. Present if the tool has an `output`. */
  readonly value?: JsonValue;
  /** The tool failed, and the text says how. */
  readonly isError?: boolean;
}

/**
 * A server whose tools functions and models may call, mounted in a config under `tools`.
 *
 * The server is not trusted and may be down: `start` must not wait for it. The host validates arguments before, and
 * results after a call; a failure affects only the calls of this server.
 */
export interface ToolServer extends Lifecycle {
  /**
   * The tools in their latest known state, in the server's order. Returns the same list as long as it has not changed.
   * Waits until the server was queried for the first time.
   *
   * @throws PatchbayError `tool_unavailable` while the server cannot be reached.
   */
  tools(context: RequestContext): Promise<readonly ServerTool[]>;
  /**
   * Call a tool. The request ends when `context.signal` aborts.
   *
   * @throws PatchbayError `tool_unavailable` if the server cannot be reached or does not respond in time; `tool_failed` for a
   *   response that is invalid or too large.
   */
  call(name: string, given: JsonObject, context: RequestContext): Promise<ToolResult>;
}
