import type { OptionSchema } from '@patchbay/contracts/config-schema';
import { type AppConfig, appConfigSchema } from './app-config.ts';
import { isPlainObject, memberSchema } from './config-path.ts';
import type { PluginMount } from './mounts.ts';

/**
 * Every secret in a config: the values of `writeOnly` options, including those of plugins, and the
 * credentials in URLs; and the patterns of secrets that its plugins generate.
 */
export function configSecrets(
  config: AppConfig,
  mounts: readonly Pick<PluginMount, 'plugin' | 'options'>[],
): readonly (string | RegExp)[] {
  const ofPlugins = mounts.flatMap(({ plugin: { definition }, options }) => [
    ...secretsIn(options, { type: 'object', ...definition.config }),
    ...(definition.secretForms ?? []),
  ]);
  return [...secretsIn(config, { type: 'object', ...appConfigSchema }), ...ofPlugins];
}

function secretsIn(value: unknown, schema: OptionSchema | undefined): readonly string[] {
  if (schema === undefined) return [];
  if (typeof value === 'string') return [...(schema.writeOnly ? [value] : []), ...urlSecrets(value)];
  const isArray = Array.isArray(value);
  const members = isArray ? [...value.entries()] : isPlainObject(value) ? Object.entries(value) : [];
  return members.flatMap(([name, member]) => {
    const inner = memberSchema(schema, String(name), isArray);
    return secretsIn(member, schema.writeOnly && inner ? { ...inner, writeOnly: true } : inner);
  });
}

/** A URL within a text; those of a list with commas are several. */
const url = /\b([a-z][a-z\d+.-]*:\/\/)((?:(?!,[a-z][a-z\d+.-]*:\/\/)[^\s"'`<>])*)/gi;

/**
 * A text with `[secret]` in place of user and password, query and fragment of the URLs in it. Any of them can be a
 * credential, and the schema of an option does not reveal which.
 */
export function redactUrls(text: string): string {
  return text.replace(url, (_, scheme: string, rest: string) => {
    const parts = partsOf(rest);
    if (!parts) return `${scheme}[secret]`;
    const { userinfo, place, query, fragment } = parts;
    const before = userinfo === undefined ? '' : '[secret]@';
    return `${scheme}${before}${place}${query === undefined ? '' : '?[secret]'}${fragment === undefined ? '' : '#[secret]'}`;
  });
}

/** The texts that `redactUrls` hides, whole and in parts, for a redactor of logs. */
export function urlSecrets(text: string): readonly string[] {
  return [...text.matchAll(url)].flatMap(([, , rest = '']) => {
    const parts = partsOf(rest);
    if (!parts) return [rest];
    const { userinfo, query, fragment } = parts;
    const password = userinfo?.slice(userinfo.indexOf(':') + 1);
    const values = query === undefined ? [] : [...new URLSearchParams(query).values()];
    const given = [userinfo, password, password && decoded(password), query, ...values, fragment];
    return [...new Set(given.filter((each) => each !== undefined && each !== ''))] as string[];
  });
}

/** Undefined if a password that should have been percent-encoded makes it unclear where the host begins. */
function partsOf(rest: string) {
  const [, authority = '', path = '', query, fragment] =
    /^([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(rest) ?? [];
  const at = authority.lastIndexOf('@');
  const isUnclear = at < 0 && authority.replace(/^\[[^\]]*\]/, '').includes(':') && `${path}${fragment}`.includes('@');
  if (isUnclear) return undefined;
  const userinfo = at < 0 ? undefined : authority.slice(0, at);
  return { userinfo, place: authority.slice(at + 1) + path, query, fragment };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
