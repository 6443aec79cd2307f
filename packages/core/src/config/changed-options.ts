import { isDeepStrictEqual } from 'node:util';
import type { ConfigSchema, OptionSchema } from '../contracts/config-schema.ts';
import { isPlainObject } from './config-path.ts';

/** The options at which two values of a schema differ, by their names: `webhooks.ports`. Never their values. */
export interface ChangedOptions {
  /** Those that a running process takes over. */
  readonly changed: readonly string[];
  /** Those that hold from the next start. */
  readonly needsRestart: readonly string[];
}

/**
 * The differences between two versions of a section of a config, for a host that reloads it.
 *
 * @param section Prefix of the names of its options. Default: none.
 *
 * @example
 * ```ts
 * import { changedOptions } from '@patchbay/core';
 *
 * const schema = { properties: { port: { type: 'integer' }, level: { type: 'string', reload: true } } } as const;
 * changedOptions(schema, { port: 1, level: 'info' }, { port: 2, level: 'warn' }, 'server');
 * // { changed: ['server.level'], needsRestart: ['server.port'] }
 * ```
 */
export function changedOptions(schema: ConfigSchema, before: object, after: object, section?: string): ChangedOptions {
  const [old, now] = [before, after] as Readonly<Record<string, unknown>>[];
  const found = Object.entries(schema.properties).flatMap(([name, option]) =>
    differences(option, old?.[name], now?.[name], section === undefined ? name : `${section}.${name}`, false),
  );
  const named = (reload: boolean) => found.filter((each) => each.reload === reload).map(({ name }) => name);
  return { changed: named(true), needsRestart: named(false) };
}

/** The values that hold in a running process: the new ones, except for those that need a restart. */
export function withoutRestart(option: OptionSchema, before: unknown, after: unknown, inherited = false): unknown {
  const reload = option.reload ?? inherited;
  const { properties } = option;
  if (properties === undefined || !isPlainObject(before) || !isPlainObject(after)) return reload ? after : before;
  const members = Object.entries(properties).map(([name, each]) => {
    return [name, withoutRestart(each, before[name], after[name], reload)] as const;
  });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

interface Difference {
  readonly name: string;
  readonly reload: boolean;
}

function differences(
  option: OptionSchema,
  before: unknown,
  after: unknown,
  name: string,
  inherited: boolean,
): readonly Difference[] {
  if (isDeepStrictEqual(before, after)) return [];
  const reload = option.reload ?? inherited;
  if (isPlainObject(before) && isPlainObject(after)) {
    const members = Object.keys({ ...before, ...after }).flatMap((key) => {
      const member = memberOf(option, key);
      return member === undefined ? [] : differences(member, before[key], after[key], `${name}.${key}`, reload);
    });
    if (members.length > 0) return members;
  }
  return [{ name, reload }];
}

function memberOf({ properties, additionalProperties }: OptionSchema, key: string): OptionSchema | undefined {
  if (properties && Object.hasOwn(properties, key)) return properties[key];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}
