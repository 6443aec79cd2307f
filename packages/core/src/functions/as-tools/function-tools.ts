import { reachesFunction } from '@patchbay/contracts/base/stored-rows';
import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext } from '@patchbay/contracts/context';
import type { Schema } from '@patchbay/contracts/json-schema';
import type { FunctionRow } from '@patchbay/contracts/rows';
import { resolvedSchema } from '@patchbay/contracts/schema/resolve-schema';
import type { Scope } from '@patchbay/contracts/scopes';
import type { Storage } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import { hasScope } from '../../access/callers.ts';
import type { CursorCodec } from '../../paging/cursor.ts';
import { listPage, type PageResult } from '../../paging/list-page.ts';
import type { SettingsService } from '../../settings/settings-service.ts';
import { idInName, isToolName, keyOf, nameWithId } from './tool-name.ts';
import { createWatchFunctions, type WatchFunctions } from './watch-functions.ts';

/** A function under the name by which agents call it: unique in its tenant. */
export interface FunctionTool {
  readonly name: string;
  readonly source: FunctionRow;
  /**
   * Schema of the input, in the spelling of JSON Schema 2020-12 and without references, whatever the function was
   * written in.
   */
  readonly input: Schema;
  /** Schema of the output, likewise. */
  readonly output: Schema;
  /** Whether the function reaches nothing beyond its input: neither hosts and secrets nor other functions. */
  readonly readOnly: boolean;
  /** Whether its calls are tasks, for agents that support tasks. */
  readonly isTask: boolean;
}

/** A page of tools or prompts made of functions. Its total is unknown, as not every function is exposed. */
export type ListPart<T> = (
  page: { readonly limit: number; readonly cursor?: string },
  context: RequestContext,
) => Promise<Omit<PageResult<T>, 'total'>>;

/**
 * The functions that a caller may execute as tools of agents, unless their settings have `mcp.expose: false`.
 *
 * The name is the key of the function's name. If several functions share a key, the oldest gets it, and the others get
 * it with their id appended, so that a new function never takes the name of another.
 */
export interface FunctionTools {
  /**
   * Oldest first, so that the order stays the same when functions change. A page can have fewer tools than functions.
   */
  readonly list: ListPart<FunctionTool>;
  /** Undefined: there is no such tool. */
  find(name: string, context: RequestContext): Promise<FunctionTool | undefined>;
  /** Call back within a second after the tools of a caller may have changed, on any server, or its credentials ended. @returns Ends it. */
  readonly watch: WatchFunctions;
}

const needed: Scope = 'functions:execute';

/** Code that mentions functions may reach whatever another function reaches. */
const callsFunctions = /\bfunctions\b/;

interface FunctionToolsDependencies {
  readonly storage: Storage;
  readonly cursors: CursorCodec;
  readonly settings: Pick<SettingsService, 'resolve'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Whether the operator grants hosts or secrets to a function. */
  readonly hasGrants: (row: FunctionRow, tenant: TenantId) => boolean;
}

export function createFunctionTools(dependencies: FunctionToolsDependencies): FunctionTools {
  const { storage, cursors, settings, clock, hasGrants } = dependencies;

  const oldestWith = async (key: string, { caller }: RequestContext): Promise<FunctionRow | undefined> => {
    const query = { where: { key }, sort: 'createdAt', order: 'asc', limit: 1 } as const;
    return (await storage.list(caller.tenant, 'functions', query)).rows[0];
  };

  const nameOf = async (row: FunctionRow, context: RequestContext): Promise<string> => {
    const key = keyOf(row);
    const isOwn = row.key !== null && isToolName(key) && (await oldestWith(key, context))?.id === row.id;
    return isOwn ? key : nameWithId(row);
  };

  const toolOf = async (name: string, source: FunctionRow, context: RequestContext): Promise<FunctionTool[]> => {
    const { caller } = context;
    const { isExposed, isTask } = await agentSettingsOf(source, settings, context);
    if (!isExposed || !reachesFunction(caller, source.id)) return [];
    const readOnly = !callsFunctions.test(source.code) && !hasGrants(source, caller.tenant);
    const [input, output] = [resolvedSchema(source.input), resolvedSchema(source.output)];
    return [{ name, source, input, output, readOnly, isTask }];
  };

  return {
    watch: createWatchFunctions({ storage, clock }),

    async list({ limit, cursor }, context) {
      if (!hasScope(context.caller, needed)) return { rows: [] };
      const page = {
        limit,
        offset: 0,
        sort: 'createdAt',
        order: 'asc',
        ...(cursor !== undefined && { cursor }),
      } as const;
      const { rows, nextCursor } = await listPage({ storage, cursors }, { collection: 'functions', page }, context);
      const tools = await Promise.all(
        rows.map(async (source) => toolOf(await nameOf(source, context), source, context)),
      );
      return { rows: tools.flat(), ...(nextCursor !== undefined && { nextCursor }) };
    },

    async find(name, context) {
      if (!hasScope(context.caller, needed) || !isToolName(name)) return undefined;
      const id = idInName(name);
      const named = id === undefined ? undefined : await storage.get(context.caller.tenant, 'functions', id);
      const source = named && nameWithId(named) === name ? named : await oldestWith(name, context);
      return source && (await toolOf(name, source, context))[0];
    },
  };
}

/** The part of a function's settings that concerns agents. */
interface AgentSettings {
  /** Whether the function is a tool, and is found in code mode: unless its settings have `mcp.expose: false`. */
  readonly isExposed: boolean;
  /** Whether its calls are tasks, for agents that support tasks. */
  readonly isTask: boolean;
}

export async function agentSettingsOf(
  row: FunctionRow,
  settings: Pick<SettingsService, 'resolve'>,
  context: RequestContext,
): Promise<AgentSettings> {
  const { mcp } = (await settings.resolve(row, context)).settings;
  return { isExposed: mcp?.expose !== false, isTask: mcp?.task === true };
}
