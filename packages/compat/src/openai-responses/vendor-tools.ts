import { fieldsOf, type JsonFields, listOf } from '@patchbay/core/provider';
import type { NamedMember } from '../gateway-types.ts';

/** Tools that the client runs for itself, and those that only search its own. A computer reaches other servers. */
const clientTools: ReadonlySet<string> = new Set([
  ...(['function', 'custom', 'namespace', 'tool_search'] as const),
  ...(['local_shell', 'apply_patch'] as const),
]);

/** The tools of a request that follow the policy for those of vendors. Items of the conversation can have some as well. */
export function vendorToolsOf(members: JsonFields): readonly NamedMember[] {
  const items = (listOf(members['input']) ?? []).map((item) => fieldsOf(item) ?? {});
  const added = items.flatMap(({ tools }, index) => runByVendor(tools, `/input/${index}/tools`));
  return [...runByVendor(members['tools'], '/tools'), ...added];
}

function runByVendor(tools: unknown, pointer: string): readonly NamedMember[] {
  return (listOf(tools) ?? []).flatMap((value, index) => {
    const tool = fieldsOf(value) ?? {};
    const { type } = tool;
    const place = `${pointer}/${index}`;
    const within = runByVendor(tool['tools'], `${place}/tools`);
    // Tools of an MCP server, in the list of them that is part of a conversation, have none.
    if (typeof type !== 'string' || clientTools.has(type) || isLocal(tool)) return within;
    return [{ pointer: `${place}/type`, name: type }, ...within];
  });
}

/** A shell runs where its environment is. */
function isLocal({ type, environment }: JsonFields): boolean {
  return type === 'shell' && fieldsOf(environment)?.['type'] === 'local';
}
