import { createHash } from 'node:crypto';
import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { Tool } from '@patchbay/contracts/provider';
import { authorize } from '../../access/callers.ts';
import type { MountedTool } from '../../tools/admit-tools.ts';
import type { ToolCatalog } from '../../tools/tool-catalog.ts';

/** The tools of a request with a loop. */
export interface LoopTools {
  /** Those that the caller runs. */
  readonly own: readonly Tool[];
  /** Those that the gateway calls, by the names under which models know them. */
  readonly mounted: ReadonlyMap<string, MountedTool>;
  /** All of them, as models see them. */
  readonly all: readonly Tool[];
}

const MOST_TOOLS = 128;

/**
 * Look up the named tools of a request.
 *
 * @param at Where the tools are in the body.
 * @throws PatchbayError `tool_not_found`, `tool_unavailable`; `insufficient_scope` without `tools:call`; `invalid_request` for
 *   more tools than a request may have.
 */
export async function loopTools(
  given: readonly (Tool | string)[],
  at: string,
  catalog: ToolCatalog,
  context: RequestContext,
): Promise<LoopTools> {
  const names = given.filter((tool) => typeof tool === 'string');
  const own = given.filter((tool) => typeof tool !== 'string');
  if (names.length > 0) authorize(context.caller, 'tools:call');
  const found = await Promise.all(names.map((name) => catalog.find(name, context)));
  const distinct = new Map(found.flat().map((tool) => [tool.id, tool]));
  if (own.length + distinct.size > MOST_TOOLS) {
    const detail = `are ${own.length + distinct.size} tools; a request may have ${MOST_TOOLS}`;
    throw new PatchbayError('invalid_request', 'the request has too many tools', {
      errors: [{ pointer: at, code: 'too_many', detail }],
    });
  }
  const taken = new Set(own.map(({ name }) => name));
  const mounted = new Map<string, MountedTool>();
  for (const tool of distinct.values()) {
    const name = modelName(tool, taken);
    taken.add(name);
    mounted.set(name, tool);
  }
  return { own, mounted, all: [...own, ...[...mounted].map(([name, tool]) => declared(name, tool))] };
}

function declared(name: string, { description, input }: MountedTool): Tool {
  return { name, ...(description !== undefined && { description }), parameters: input };
}

const NAME_LENGTH = 64;

/** `docs__search` for `docs.search`: function names for models have neither dots nor more than 64 characters. */
function modelName({ id, server, name }: MountedTool, taken: ReadonlySet<string>): string {
  const plain = `${server}__${name.replaceAll('.', '_')}`;
  if (plain.length <= NAME_LENGTH && !taken.has(plain)) return plain;
  const digest = createHash('sha256').update(id).digest('hex').slice(0, 8);
  return `${plain.slice(0, NAME_LENGTH - digest.length - 1)}_${digest}`;
}
