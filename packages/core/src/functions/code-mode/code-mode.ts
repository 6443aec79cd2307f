import { didYouMean } from '@patchbay/contracts/base/names';
import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { Executor } from '@patchbay/contracts/executor';
import type { ExecutionRow, FunctionRow } from '@patchbay/contracts/rows';
import type { Scope } from '@patchbay/contracts/scopes';
import type { Storage } from '@patchbay/contracts/storage';
import { closest } from 'fastest-levenshtein';
import { authorize, hasScope } from '../../access/callers.ts';
import type { SettingsService } from '../../settings/settings-service.ts';
import type { ToolCatalog } from '../../tools/tool-catalog.ts';
import { agentSettingsOf } from '../as-tools/function-tools.ts';
import type { ExecutionService } from '../executions/execution-service.ts';
import { type CalledFunctions, functionCalls } from '../host-calls/served-calls.ts';
import { type DeclaredFunction, declareFunctions } from '../types/declare-functions.ts';
import { declaredTool, mentionedNames } from '../types/with-tool-types.ts';
import { type CallableTools, callableTools } from './callable-tools.ts';
import { createFunctionCatalogs, type FunctionCatalog } from './function-catalog.ts';
import { RecordedCalls } from './recorded-calls.ts';

/** A function as a search shows it. */
export interface FoundFunction {
  /** The member of `functions` in a program. */
  readonly name: string;
  readonly description: string;
}

/**
 * Functions for agents that write programs: they search for functions, read the types of a few, and run a program that
 * calls them, so that no prompt has to list all functions, and no intermediate result has to pass through a model.
 *
 * Every method needs the scope `code:run`.
 */
export interface CodeMode {
  /** Whether the caller can run programs on this server. */
  isFor(context: Pick<RequestContext, 'caller'>): boolean;
  /** At most 20 functions, ranked by the words of the query in name, description and names of properties. */
  search(query: string, context: RequestContext): Promise<readonly FoundFunction[]>;
  /**
   * TypeScript declarations of at most 20 functions.
   *
   * @throws PatchbayError `function_not_found`; `invalid_request` for more.
   */
  describe(names: readonly string[], context: RequestContext): Promise<string>;
  /**
   * Run a program once: the body of an async function, in which `functions` has every function, and `log` writes to the
   * logs. Its calls are made on behalf of the caller.
   *
   * @returns The completed execution: `value` in its output is what the program returned, and `calls` what it called.
   * @throws PatchbayError `code_invalid` with line and column, including type errors; as `ExecutionService.execute`.
   */
  run(code: string, context: RequestContext): Promise<ExecutionRow>;
}

interface CodeModeDependencies {
  readonly storage: Storage;
  readonly executor: Executor;
  readonly executions: Pick<ExecutionService, 'runProgram'>;
  /** Executes a function for a program. A program may outlast a reload: each call uses the active services. */
  readonly execute: CalledFunctions['execute'];
  readonly settings: Pick<SettingsService, 'resolve'>;
  readonly clock: Clock;
  /** The tools of mounted servers, for callers with the scope `tools:call`. */
  readonly tools: ToolCatalog;
}

const needed: Scope = 'code:run';

const MAX_FOUND = 20;
const MAX_DESCRIBED = 20;
/** Functions that a program can mention. */
const MAX_MENTIONED = 200;
/** Misspelt names for which a program is offered others. */
const MAX_MISSPELT = 5;
const SHOWN_DESCRIPTION = 300;

export function createCodeMode(dependencies: CodeModeDependencies): CodeMode {
  const { storage, executor, executions, execute, settings, clock, tools } = dependencies;
  const catalogOf = createFunctionCatalogs(storage);

  const rowsOf = async (ids: readonly string[], { caller }: RequestContext): Promise<readonly FunctionRow[]> => {
    const rows = await Promise.all(ids.map((id) => storage.get(caller.tenant, 'functions', id)));
    return rows.filter((row) => row !== undefined);
  };

  const visible = async (ids: readonly string[], context: RequestContext): Promise<readonly FunctionRow[]> => {
    const rows = await rowsOf(ids, context);
    const found = await Promise.all(rows.map((row) => agentSettingsOf(row, settings, context)));
    return rows.filter((_, index) => found[index]?.isExposed);
  };

  return {
    isFor: ({ caller }) => executor.prepareProgram !== undefined && hasScope(caller, needed),

    async search(query, context) {
      authorize(context.caller, needed);
      const catalog = await catalogOf(context.caller);
      const rows: FunctionRow[] = [];
      const ids = catalog.search(query);
      for (let start = 0; start < ids.length && rows.length < MAX_FOUND; start += MAX_FOUND) {
        rows.push(...(await visible(ids.slice(start, start + MAX_FOUND), context)));
      }
      const found = rows.map((row) => ({ ...row, callName: catalog.names.get(row.id) ?? row.id }));
      const mounted = await callableTools(tools, context);
      const others = mounted.search(query).flatMap((id) => declaredTools(mounted, [id]));
      return inTurns(found, others)
        .slice(0, MAX_FOUND)
        .map(({ callName, name, description }) => ({
          name: callName,
          description: (description === '' ? name : description).slice(0, SHOWN_DESCRIPTION),
        }));
    },

    async describe(given, context) {
      authorize(context.caller, needed);
      if (given.length > MAX_DESCRIBED) {
        throw new PatchbayError('invalid_request', `at most ${MAX_DESCRIBED} functions are described at once`);
      }
      const catalog = await catalogOf(context.caller);
      const mounted = await callableTools(tools, context);
      const named = new Set(given);
      const others = declaredTools(
        mounted,
        [...named].filter((name) => isTool(name, catalog, mounted)),
      );
      for (const { callName } of others) named.delete(callName);
      const ids = new Map([...named].map((name) => [findId(name, catalog), name]));
      const rows = await visible([...ids.keys()], context);
      for (const { id } of rows) ids.delete(id);
      for (const name of ids.values()) throw notFound(name);
      return declarationsOf(rows, others, catalog);
    },

    async run(code, context) {
      authorize(context.caller, needed);
      if (!executor.prepareProgram) {
        throw new PatchbayError('executor_unavailable', 'the executor of this server runs no programs', {
          retryAfter: 60,
        });
      }
      const catalog = await catalogOf(context.caller);
      const mentioned = mentionedNames(code);
      const rows = await rowsOf(
        [...new Set([...functionsAmong(mentioned, catalog), ...meantBy(code, catalog)])],
        context,
      );
      const mounted = await callableTools(tools, context);
      const others = declaredTools(
        mounted,
        [...mounted.byId.keys()].filter((id) => mentioned.has(id)),
      );
      const declarations = declarationsOf(rows, others, catalog);
      const { artifact } = await executor.prepareProgram({ code, declarations }, context);
      const recorded = new RecordedCalls(clock);
      const calls = functionCalls({
        find: async (name) => (isTool(name, catalog, mounted) ? name : findId(name, catalog)),
        execute: async (id, input, within) => {
          const tool = mounted.byId.get(id);
          return tool ? await mounted.call(tool, input, within) : await execute(id, input, within);
        },
        observe: (name, call) => recorded.observe(name, call),
      });
      return await executions.runProgram({ code, artifact, calls, made: recorded.made }, context);
    },
  };
}

/** @throws PatchbayError `function_not_found`. */
function findId(name: string, { ids, names }: FunctionCatalog): string {
  const id = ids.get(name) ?? (names.has(name) ? name : undefined);
  if (id !== undefined) return id;
  throw notFound(name, didYouMean(name, [...ids.keys()]));
}

function notFound(name: string, hint = ''): PatchbayError {
  return new PatchbayError('function_not_found', `there is no function "${name.slice(0, 200)}"${hint}`);
}

/** Whether a name is that of a tool. A function with the same name takes precedence. */
function isTool(name: string, { ids }: FunctionCatalog, { byId }: CallableTools): boolean {
  return byId.has(name) && !ids.has(name);
}

function declaredTools({ byId }: CallableTools, ids: readonly string[]): readonly DeclaredFunction[] {
  return ids.flatMap((id) => {
    const tool = byId.get(id);
    return tool ? [declaredTool(tool)] : [];
  });
}

/** Two ranked lists merged into one: ranks of different lists cannot be compared. */
function inTurns<T>(first: readonly T[], second: readonly T[]): readonly T[] {
  const length = Math.max(first.length, second.length);
  return Array.from({ length }, (_, rank) => [...first.slice(rank, rank + 1), ...second.slice(rank, rank + 1)]).flat();
}

function declarationsOf(
  rows: readonly FunctionRow[],
  tools: readonly DeclaredFunction[],
  { names, ids }: FunctionCatalog,
): string {
  const typed = rows.map((row) => ({ ...row, callName: names.get(row.id) ?? row.id }));
  const others = tools.filter(({ callName }) => !ids.has(callName));
  const { functions, definitions } = declareFunctions([...typed, ...others], 'promise');
  return [functions, ...definitions].join('\n');
}

/** The functions whose names are in the text of a program: it can call no others, unless it computes their names. */
function functionsAmong(mentioned: ReadonlySet<string>, { names }: FunctionCatalog): readonly string[] {
  const found = [...names].filter(([, name]) => mentioned.has(name)).map(([id]) => id);
  if (found.length <= MAX_MENTIONED) return found;
  const detail = `The program mentions more than ${MAX_MENTIONED} functions`;
  throw new PatchbayError('code_invalid', detail, { errors: [{ pointer: '/code', code: 'too_complex', detail }] });
}

/** The functions with the names most similar to misspelt ones: the compiler suggests them, if it knows them. */
function meantBy(code: string, { ids }: FunctionCatalog): readonly string[] {
  const called = [...code.matchAll(/\bfunctions\s*\.\s*([\p{L}\p{N}_$]{1,64})/gu)].map(([, name = '']) => name);
  const misspelt = [...new Set(called)].filter((name) => !ids.has(name)).slice(0, MAX_MISSPELT);
  const all = [...ids.keys()];
  return all.length === 0 ? [] : misspelt.flatMap((name) => ids.get(closest(name, all)) ?? []);
}
