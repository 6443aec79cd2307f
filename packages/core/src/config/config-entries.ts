import type { OptionSchema } from '@patchbay/contracts/config-schema';
import type { JsonValue } from '@patchbay/contracts/json';
import { type ConfigPath, isPlainObject, memberSchema, pathPointer } from './config-path.ts';
import type { NodePlace } from './config-problem.ts';
import { redactUrls } from './config-secrets.ts';
import type { Reference } from './interpolate.ts';
import type { PluginMount } from './mounts.ts';
import { isPlugin } from './resolve-plugin.ts';

/** One value of a config for display, without secrets. */
export interface ConfigEntry {
  readonly path: ConfigPath;
  /**
   * `[secret]` for `writeOnly` options, for values from files or secrets, and for the
   * user, password and query of a URL.
   */
  readonly value: JsonValue;
  /** Its source: `file`, `default`, or a reference such as `PORT` or `file:/run/secrets/key`. */
  readonly source: string;
  /** Counted from 1; absent for defaults, and for configs in JavaScript. */
  readonly line?: number;
  readonly column?: number;
}

interface EntrySources {
  readonly written: unknown;
  readonly places: ReadonlyMap<string, NodePlace>;
  readonly references: ReadonlyMap<string, readonly Reference[]>;
  readonly schema: OptionSchema;
  readonly mounts: readonly PluginMount[];
}

/** Every value of a complete config, in its order, with its source and position. */
export function configEntries(config: object, sources: EntrySources): ConfigEntry[] {
  const optionSchemas = new Map<string, OptionSchema>(
    sources.mounts.map(({ path, plugin }) => {
      return [pathPointer([...path, 'with']), { type: 'object', ...plugin.definition.config }];
    }),
  );

  const visit = (
    value: unknown,
    path: ConfigPath,
    schema: OptionSchema | undefined,
    written: unknown,
  ): ConfigEntry[] => {
    const pointer = pathPointer(path);
    const own = optionSchemas.get(pointer) ?? schema;
    const isIndex = Array.isArray(value);
    const members = isIndex ? [...value.entries()] : isPlainObject(value) ? Object.entries(value) : [];
    if (members.length > 0 && !own?.writeOnly) {
      return members.flatMap(([name, member]) => {
        const inner = Reflect.get(Object(written), name) as unknown;
        return visit(member, [...path, name], memberSchema(own, String(name), isIndex), inner);
      });
    }
    const references = sources.references.get(pointer) ?? [];
    const isSecret = own?.writeOnly === true || references.some(({ kind }) => kind !== 'env');
    const place = sources.places.get(pointer)?.value;
    const shown = isSecret ? '[secret]' : printable(value);
    return [{ path, value: shown, source: sourceOf(references, written), ...place }];
  };
  return visit(config, [], sources.schema, sources.written);
}

function sourceOf(references: readonly Reference[], written: unknown): string {
  if (references.length === 0) return written === undefined ? 'default' : 'file';
  return references.map(({ kind, name }) => (kind === 'env' ? name : `${kind}:${name}`)).join(', ');
}

function printable(value: unknown): JsonValue {
  if (isPlugin(value)) return value.definition.name;
  if (typeof value === 'string') return redactUrls(value);
  return (JSON.parse(JSON.stringify(value) ?? 'null') as JsonValue) ?? null;
}

/**
 * A config as YAML for operators, with defaults and without secrets. After each value that is
 * not literal in the file, a comment names its source.
 *
 * @example
 * ```ts
 * import { loadConfig, printConfig } from '@patchbay/core';
 *
 * console.log(await printConfig(await loadConfig()));
 * ```
 */
export async function printConfig({ entries }: { readonly entries: readonly ConfigEntry[] }): Promise<string> {
  // Loaded on demand: a host that never prints does not need it.
  const { Document, isScalar } = await import('yaml');
  const document = new Document({});
  for (const { path, value, source } of entries) {
    document.setIn(path, document.createNode(value));
    const node = document.getIn(path, true);
    if (source !== 'file' && isScalar(node)) node.comment = ` ${source}`;
  }
  return document.toString({ lineWidth: 0 });
}
