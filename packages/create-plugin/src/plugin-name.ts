/** npm's rules for the name of a package. */
const NAME = /^(@[a-z\d~-][a-z\d._~-]*\/)?[a-z\d~-][a-z\d._~-]*$/;

/**
 * The name of the package: what is neither scoped nor begins with `patchbay-` gets the prefix by which people find
 * plugins of its kind.
 *
 * @throws Error where npm would not take the name.
 */
export function pluginName(kind: string, name: string): string {
  const full = name.startsWith('@') || name.startsWith('patchbay-') ? name : `patchbay-${kind}-${name}`;
  if (full.length > 214 || !NAME.test(full)) throw new Error(`"${name}" is no name for a package`);
  return full;
}

/** What a config may call it: `acme` of `patchbay-provider-acme`. */
export function mountName(kind: string, name: string): string {
  return name
    .slice(name.indexOf('/') + 1)
    .replace(new RegExp(`^patchbay-(${kind}-)?`), '')
    .replaceAll(/[^a-z\d-]+/g, '-');
}
