import type { JsonObject } from '@patchbay/contracts/json';
import type { Schema } from '@patchbay/contracts/json-schema';
import type { SchemaService } from '@patchbay/contracts/schema/schema-service';
import type { ServerTool } from '@patchbay/contracts/tool-server';

/** A tool of a server that the host accepted. */
export interface MountedTool {
  /** `<server>.<tool>` */
  readonly id: string;
  readonly server: string;
  readonly name: string;
  /** Text of the server, which may try to instruct a model. */
  readonly description?: string;
  readonly input: Schema;
  readonly output?: Schema;
}

/** A tool that was not accepted, and why. */
export interface RefusedTool {
  readonly name: string;
  readonly reason: string;
}

export interface AdmittedTools {
  readonly tools: ReadonlyMap<string, MountedTool>;
  readonly refused: readonly RefusedTool[];
}

/** As the Model Context Protocol recommends names (2026-07-28, server/tools). */
const toolName = /^[A-Za-z0-9_.-]{1,128}$/;
const MOST_TOOLS = 500;
/** As for a tool in a request. Longer ones are truncated. */
const DESCRIPTION_LENGTH = 4_096;

/** Accept the tools of a server whose names are valid and distinct, and whose schemas stay within the profile for callers. */
export async function admitTools(
  server: string,
  listed: readonly ServerTool[],
  schemas: SchemaService,
): Promise<AdmittedTools> {
  const tools = new Map<string, MountedTool>();
  const refused: RefusedTool[] = [];
  for (const tool of listed) {
    const reason =
      tools.size === MOST_TOOLS
        ? `the server has more than ${MOST_TOOLS} tools`
        : tools.has(tool.name)
          ? 'the server has another tool of this name'
          : await faultOf(tool, server, schemas);
    if (reason === undefined) tools.set(tool.name, mounted(server, tool));
    else refused.push({ name: tool.name.slice(0, 128), reason });
  }
  return { tools, refused };
}

/** The lane of a server's work with schemas. No tenant has such a name. */
export const schemaLane = (server: string): string => `patchbay:tools.${server}`;

async function faultOf(
  { name, input, output }: ServerTool,
  server: string,
  schemas: SchemaService,
): Promise<string | undefined> {
  if (!toolName.test(name))
    return 'its name has other characters than A-Z, a-z, 0-9, "_", "-" and ".", or more than 128';
  if (input['type'] !== 'object') return 'the type of its input schema must be "object"';
  const placed = [
    { schema: input as Schema, pointer: '/inputSchema' },
    ...(output ? [{ schema: output as Schema, pointer: '/outputSchema' }] : []),
  ];
  const [fault] = await schemas.check(schemaLane(server), placed);
  return fault && `${fault.pointer} ${fault.detail}`;
}

function mounted(server: string, { name, description, input, output }: ServerTool): MountedTool {
  return {
    id: `${server}.${name}`,
    server,
    name,
    ...(description && { description: cut(description) }),
    input: schemaOf(input),
    ...(output && { output: schemaOf(output) }),
  };
}

const schemaOf = (schema: JsonObject): Schema => schema as Schema;

function cut(text: string): string {
  return text.length <= DESCRIPTION_LENGTH ? text : `${text.slice(0, DESCRIPTION_LENGTH - 1)}…`;
}
