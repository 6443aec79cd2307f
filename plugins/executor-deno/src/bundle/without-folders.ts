/**
 * A module without the folders of the machine that it was made on: esbuild names CommonJS modules by their paths. The text keeps
 * its length, so that mappings lead to the same places.
 *
 * @param files Paths of the files in the module, as esbuild shows them.
 */
export function withoutFolders(module: string, files: readonly string[]): string {
  let text = module;
  // In quotes that occur in the path as well, the path has escapes.
  for (const name of files.flatMap((file) => [file, JSON.stringify(file).slice(1, -1)])) {
    const inPackages = name.lastIndexOf('node_modules/');
    const start = inPackages === -1 ? name.lastIndexOf('/') + 1 : inPackages;
    const shown = '.'.repeat(start) + name.slice(start);
    for (const quote of ['"', "'", '`']) {
      text = text.replaceAll(`${quote}${name}${quote}(`, () => `${quote}${shown}${quote}(`);
    }
  }
  return text;
}
