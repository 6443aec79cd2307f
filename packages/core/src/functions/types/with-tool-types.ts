import type { RequestContext } from '@patchbay/contracts/context';
import type { Executor } from '@patchbay/contracts/executor';
import type { Schema } from '@patchbay/contracts/json-schema';
import type { MountedTool } from '../../tools/admit-tools.ts';
import type { ToolCatalog } from '../../tools/tool-catalog.ts';
import { type DeclaredFunction, declareMethod } from './declare-functions.ts';
import { keyText } from './schema-type.ts';

/** An executor that checks the code of functions against the tools of mounted servers, as they are when it is saved. */
export function withToolTypes(executor: Executor, tools: Pick<ToolCatalog, 'servers' | 'list'>): Executor {
  return {
    ...executor,
    async prepare(source, context) {
      const declarations = await declareTools(source.code, tools, context);
      return (
        (await executor.prepare?.({ ...source, declarations }, context)) ?? {
          artifact: source.bundle?.module ?? source.code,
        }
      );
    },
  };
}

/**
 * The interface `MountedTools`. For the servers that the code mentions, the tools that it also mentions have their
 * types, so that a server with many tools takes no longer to check. A server that does not respond stops nothing from
 * being saved.
 */
async function declareTools(
  code: string,
  { servers, list }: Pick<ToolCatalog, 'servers' | 'list'>,
  context: RequestContext,
): Promise<string> {
  const mentioned = mentionedNames(code);
  const isNeeded = mentioned.has('tools') && servers.some((server) => mentioned.has(server));
  const all = isNeeded ? await list(context) : [];
  const definitions: string[] = [];
  const members = servers.map((server) => {
    const tools = mentioned.has(server) ? all.filter((tool) => tool.server === server) : [];
    if (tools.length === 0) return `  readonly ${keyText(server)}: UnknownTools;`;
    const methods = tools.map((tool) =>
      mentioned.has(tool.name) ? declared(tool, definitions) : `  readonly ${keyText(tool.name)}: UnknownTool;`,
    );
    return `  readonly ${keyText(server)}: {\n${methods.join('\n')}\n  };`;
  });
  return [`interface MountedTools {\n${members.join('\n')}\n}`, ...definitions].join('\n');
}

function declared(tool: MountedTool, definitions: string[]): string {
  const method = { ...declaredTool(tool), callName: tool.name };
  return declareMethod(method, { result: 'promise', more: 'options?: CallOptions' }, definitions);
}

/** A tool as code sees it: without an output schema, it returns a string. */
export function declaredTool({ id, description = '', input, output = text }: MountedTool): DeclaredFunction {
  return { callName: id, name: id, description, input, output };
}

const text: Schema = { type: 'string' };

/** Everything in the text of code that can be a name: its words, and its string literals. */
export function mentionedNames(code: string): ReadonlySet<string> {
  const literals = [...code.matchAll(/"([^"\\\n]{1,255})"|'([^'\\\n]{1,255})'|`([^`\\$]{1,255})`/gu)];
  return new Set([
    ...(code.match(/[\p{L}\p{N}_$]+/gu) ?? []),
    ...literals.map(([, double, single, template]) => double ?? single ?? template ?? ''),
  ]);
}
