import type { ConfigEntry } from './config-entries.ts';

/**
 * A config as YAML, complete with defaults and without secrets, to be shown to an operator. Behind each value that is
 * not in the file as it stands, a comment says where it came from.
 *
 * @example
 * ```ts
 * import { loadConfig, printConfig } from '@patchbay/core';
 *
 * console.log(await printConfig(await loadConfig()));
 * ```
 */
export async function printConfig({ entries }: { readonly entries: readonly ConfigEntry[] }): Promise<string> {
  // Loaded when it is needed: a host that never prints does without.
  const { Document, isScalar } = await import('yaml');
  const document = new Document({});
  for (const { path, value, source } of entries) {
    document.setIn(path, document.createNode(value));
    const node = document.getIn(path, true);
    if (source !== 'file' && isScalar(node)) node.comment = ` ${source}`;
  }
  return document.toString({ lineWidth: 0 });
}
