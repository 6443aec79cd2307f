/** Kinds that have a template: its folder in `templates`. */
export const templates = ['provider', 'storage', 'executor', 'router', 'authenticator'] as const;
export type TemplateKind = (typeof templates)[number];

export function isTemplateKind(kind: string): kind is TemplateKind {
  return (templates as readonly string[]).includes(kind);
}

/** npm's rules for the name of a package. */
const NAME = /^(@[a-z\d~-][a-z\d._~-]*\/)?[a-z\d~-][a-z\d._~-]*$/;

/**
 * The name of the package: one that is neither scoped nor begins with `patchbay-` gets the prefix by which people find
 * plugins of its kind.
 *
 * @throws Error if npm would not accept the name.
 */
export function pluginName(kind: string, name: string): string {
  const full = name.startsWith('@') || name.startsWith('patchbay-') ? name : `patchbay-${kind}-${name}`;
  if (full.length > 214 || !NAME.test(full)) throw new Error(`"${name}" is no name for a package`);
  return full;
}

/** A name for a config: `acme` of `patchbay-provider-acme`. */
export function mountName(kind: string, name: string): string {
  return lastPart(name)
    .replace(new RegExp(`^patchbay-(${kind}-)?`), '')
    .replaceAll(/[^a-z\d-]+/g, '-');
}

/** The name of a package without its scope. */
export function lastPart(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}

/** The files of a package, each with its path in `templates`. */
export function packageFiles(kind: TemplateKind): ReadonlyMap<string, string> {
  return new Map([
    ['package.json', 'package/package.json.template'],
    ['tsconfig.json', 'package/tsconfig.json.template'],
    ['.gitignore', 'package/gitignore.template'],
    // An older Node finds no test in TypeScript, and calls that a success.
    ['.npmrc', 'package/npmrc.template'],
    ['README.md', 'package/README.md.template'],
    ['src/index.ts', `${kind}/index.ts`],
    ['src/index.test.ts', `${kind}/conformance.ts`],
  ]);
}

/** A template with the names of a package. Code contains names that compile, other files `{{name}}`. */
export function filledTemplate(
  text: string,
  { kind, name, ...more }: { readonly kind: TemplateKind; readonly name: string; readonly version: string },
): string {
  const mount = mountName(kind, name);
  const key = `${mount
    .toUpperCase()
    .replaceAll('-', '_')
    .replace(/^(?=\d)/, '_')}_KEY`;
  const article = /^[aeiou]/.test(kind) ? 'An' : 'A';
  const words: Readonly<Record<string, string>> = { kind, name, mount, key, article, folder: lastPart(name), ...more };
  return text
    .replaceAll(/\{\{(\w+)\}\}/g, (place, word: string) => words[word] ?? place)
    .replaceAll(`patchbay-${kind}-template`, name)
    .replaceAll(`${kind}s.template`, `${kind}s.${mount}`);
}
