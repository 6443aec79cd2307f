import { jsonTextOf } from '@patchbay/contracts/base/json-text';
import { didYouMean } from '@patchbay/contracts/base/names';
import { unlessAborted, withTimeout } from '@patchbay/contracts/base/signals';
import type { Clock } from '@patchbay/contracts/clock';
import type { Logger, RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { JsonObject } from '@patchbay/contracts/json';
import type { SchemaService } from '@patchbay/contracts/schema/schema-service';
import type { ServerTool, ToolResult, ToolServer } from '@patchbay/contracts/tool-server';
import { type PolicyOf, passesFilter } from '../access/callers.ts';
import type { Measuring } from '../telemetry/measuring.ts';
import { type NotedContext, noteStep } from '../usage/call-records.ts';
import { type AdmittedTools, admitTools, type MountedTool, schemaLane } from './admit-tools.ts';

/** The tools of all mounted servers. */
export interface ToolCatalog {
  /** The names of all mounted servers. */
  readonly servers: readonly string[];
  /**
   * The tools that a name stands for: `<server>.<tool>`, or `<server>.*` for all of a server.
   *
   * @throws PatchbayError `tool_not_found`, even for tools that the tenant may not use; `tool_unavailable` while the
   *   server cannot be reached.
   */
  find(name: string, context: RequestContext): Promise<readonly MountedTool[]>;
  /** The tools of all servers that respond, as far as the tenant may use them. */
  list(context: RequestContext): Promise<readonly MountedTool[]>;
  /**
   * Validate the arguments, call the tool, and validate its result.
   *
   * @throws PatchbayError `input_invalid` with every fault of the arguments; `tool_failed` for a result that does not match its
   *   schema, or that the server rejected; `tool_unavailable`.
   */
  call(tool: MountedTool, given: JsonObject, context: RequestContext): Promise<ToolResult>;
}

interface ToolCatalogOptions {
  readonly servers: ReadonlyMap<string, ToolServer>;
  readonly schemas: SchemaService;
  readonly policyOf: PolicyOf;
  readonly measuring: Pick<Measuring, 'span' | 'record'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Milliseconds after which a list leaves out a server. */
const LIST_MS = 2_000;

export function createToolCatalog({
  servers,
  schemas,
  policyOf,
  measuring,
  clock,
  logger,
}: ToolCatalogOptions): ToolCatalog {
  /** By the list of the server, which stays the same until it changes. */
  const admitted = new WeakMap<readonly ServerTool[], Promise<AdmittedTools>>();

  const admit = async (name: string, listed: readonly ServerTool[]): Promise<AdmittedTools> => {
    const result = await admitTools(name, listed, schemas);
    if (result.refused.length > 0) {
      logger.warn('a server has tools that cannot be used', { server: name, tools: result.refused.slice(0, 20) });
    }
    return result;
  };

  const toolsOf = async (name: string, server: ToolServer, context: RequestContext) => {
    const listed = await unlessAborted(server.tools(context), context.signal);
    const known = admitted.get(listed) ?? admit(name, listed);
    admitted.set(listed, known);
    const { tools } = await known;
    const { tools: allowed } = policyOf(context.caller.tenant);
    return [...tools.values()].filter(({ id }) => passesFilter(allowed, id, `${name}.*`));
  };

  const find = async (name: string, context: RequestContext): Promise<readonly MountedTool[]> => {
    const dot = name.indexOf('.');
    const server = name.slice(0, Math.max(0, dot));
    const found = servers.get(server);
    if (!found) throw notFound(name, `no server "${server}" is mounted`);
    const tools = await toolsOf(server, found, context);
    const chosen = name === `${server}.*` ? tools : tools.filter(({ id }) => id === name);
    if (chosen.length > 0) return chosen;
    const known = tools.map(({ id }) => id);
    throw notFound(name, `the server "${server}" has no such tool${didYouMean(name, known)}`);
  };

  const call = async (tool: MountedTool, given: JsonObject, context: RequestContext): Promise<ToolResult> => {
    const server = servers.get(tool.server);
    if (!server) throw notFound(tool.id, `no server "${tool.server}" is mounted`);
    const text = jsonTextOf(given);
    const lane = schemaLane(tool.server);
    const { faults } = await schemas.validate(lane, tool.input, { text, role: 'output', pointer: '/input' });
    if (faults.length > 0) {
      const message = `the arguments do not match the input schema of the tool ${tool.id}`;
      throw new PatchbayError('input_invalid', message, { errors: faults });
    }
    const result = await unlessAborted(server.call(tool.name, given, context), context.signal);
    await checkResult(tool, result);
    return result;
  };

  const checkResult = async ({ id, server, output }: MountedTool, { value, isError }: ToolResult): Promise<void> => {
    if (output === undefined || isError) return;
    const document = { text: jsonTextOf(value ?? null), role: 'output', pointer: '/output' } as const;
    const { faults } = await schemas.validate(schemaLane(server), output, document);
    if (faults.length === 0) return;
    throw new PatchbayError('tool_failed', `the result of the tool ${id} does not match its output schema`, {
      errors: faults,
    });
  };

  return {
    servers: [...servers.keys()],
    find,
    async list(context) {
      const all = await Promise.allSettled(
        [...servers].map(([name, server]) => withTimeout(toolsOf(name, server, context), LIST_MS)),
      );
      return all.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    },
    async call(tool, given, context: NotedContext) {
      const startedAt = clock.monotonic();
      const { notes } = context.parent ?? {};
      const from = notes?.now() ?? 0;
      const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool.id };
      let outcome = 'completed';
      try {
        return await measuring.span(`execute_tool ${tool.id}`, attributes, async () => {
          const result = await call(tool, given, context);
          if (result.isError) outcome = 'tool_failed';
          return result;
        });
      } catch (error) {
        outcome = PatchbayError.is(error) ? error.code : 'internal_error';
        throw error;
      } finally {
        const seconds = (clock.monotonic() - startedAt) / 1_000;
        measuring.record('patchbay.tool.duration', seconds, { server: tool.server, outcome });
        const code = outcome === 'completed' ? {} : { code: outcome };
        noteStep(notes, from, { kind: 'tool', name: tool.id, ...code });
      }
    },
  };
}

/** The longest name of a tool in a message. Callers control the length of the names they send. */
const SHOWN_NAME = 200;

function notFound(name: string, why: string): PatchbayError {
  return new PatchbayError('tool_not_found', `there is no tool "${name.slice(0, SHOWN_NAME)}": ${why}`);
}
