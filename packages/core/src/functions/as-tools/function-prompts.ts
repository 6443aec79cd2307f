import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { JsonObject, JsonValue } from '@patchbay/contracts/json';
import type { Schema } from '@patchbay/contracts/json-schema';
import type { Message } from '@patchbay/contracts/message';
import type { FunctionRow } from '@patchbay/contracts/rows';
import type { Scope } from '@patchbay/contracts/scopes';
import { hasScope } from '../../access/callers.ts';
import type { SettingsService } from '../../settings/settings-service.ts';
import { taskConversation } from '../by-model/do-task.ts';
import type { FunctionTool, FunctionTools, ListPart } from './function-tools.ts';

/** A version of the settings of a function that a model implements, as a prompt for an agent's model. */
export interface FunctionPrompt {
  /** The name of the function's tool, an `@`, and the version. */
  readonly name: string;
  readonly source: FunctionRow;
  readonly arguments: readonly PromptArgument[];
}

interface PromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required: boolean;
}

/** The prompts of functions. A caller needs `settings:read` as well as what calling the function needs. */
export interface FunctionPrompts {
  /** The newest 20 versions of each function, in the order of its tools. */
  readonly list: ListPart<FunctionPrompt>;
  /**
   * The conversation that makes a model do the work of the function. Undefined: there is no such prompt.
   *
   * @param given Strings; for members that are not strings, their JSON.
   * @throws PatchbayError `invalid_request` without a required argument.
   */
  get(
    name: string,
    given: Readonly<Record<string, string>>,
    context: RequestContext,
  ): Promise<readonly Message[] | undefined>;
}

interface FunctionPromptsDependencies {
  readonly tools: Pick<FunctionTools, 'list' | 'find'>;
  readonly settings: Pick<SettingsService, 'get' | 'listVersions'>;
}

const needed: Scope = 'settings:read';
const VERSIONS = { limit: 20, offset: 0, sort: 'version', order: 'desc' } as const;

const versioned = /^(.+)@([1-9]\d{0,8})$/;

export function createFunctionPrompts({ tools, settings }: FunctionPromptsDependencies): FunctionPrompts {
  const promptsOf = async ({ name, source }: FunctionTool, context: RequestContext) => {
    if (source.code !== '') return [];
    const { rows } = await settings.listVersions(source.id, VERSIONS, context);
    const taken = argumentsOf(source.input);
    return rows.map(({ version }) => ({ name: `${name}@${version}`, source, arguments: taken }));
  };

  return {
    async list(page, context) {
      if (!hasScope(context.caller, needed)) return { rows: [] };
      const { rows, ...more } = await tools.list(page, context);
      return { rows: (await Promise.all(rows.map((tool) => promptsOf(tool, context)))).flat(), ...more };
    },

    async get(name, given, context) {
      const [, toolName = '', version = ''] = versioned.exec(name) ?? [];
      const tool = hasScope(context.caller, needed) ? await tools.find(toolName, context) : undefined;
      if (tool?.source.code !== '') return undefined;
      const found = await findSettings(tool.source.id, Number(version), context);
      return found && taskConversation(tool.source, inputOf(tool.source.input, given), found.values);
    },
  };

  async function findSettings(id: string, version: number, context: RequestContext) {
    try {
      return await settings.get(id, { version }, context);
    } catch (error) {
      if (PatchbayError.is(error) && error.code === 'settings_not_found') return undefined;
      throw error;
    }
  }
}

function argumentsOf({ properties = {}, required = [] }: Schema): readonly PromptArgument[] {
  return Object.entries(properties).map(([name, { description }]) => ({
    name,
    required: required.includes(name),
    ...(description !== undefined && { description }),
  }));
}

function inputOf({ properties = {}, required = [] }: Schema, given: Readonly<Record<string, string>>): JsonObject {
  const missing = required.filter((name) => given[name] === undefined);
  if (missing.length > 0) throw new PatchbayError('invalid_request', `the prompt needs ${missing.join(', ')}`);
  const read = Object.entries(given).map(([name, text]) => {
    return [name, properties[name]?.type === 'string' ? text : readValue(text)] as const;
  });
  return Object.fromEntries(read);
}

function readValue(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
