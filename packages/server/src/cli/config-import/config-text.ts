import { readFile } from 'node:fs/promises';
import type { ImportedConfig } from '@patchbay/import';
import { type Document, isScalar, parseDocument, visit } from 'yaml';

/** Sections of the built-in config that are for trying things out. */
const leftOut = ['providers', 'functions'];

/** The text of a config file: the built-in config with other providers and everything else that was imported. */
export async function configText(config: ImportedConfig, source: string): Promise<string> {
  const defaults = await readFile(new URL('../../../default.yaml', import.meta.url), 'utf8');
  const title = `# Imported from ${source}. All options: "patchbay config docs". Check it with "patchbay config validate".\n`;
  const document = parseDocument(defaults.replace(/^#.*\n/, title));
  for (const name of leftOut) document.delete(name);
  for (const [section, value] of Object.entries(config)) {
    const before = (document.toJS() as Record<string, object | undefined>)[section];
    setSection(document, section, { ...before, ...(value as object) });
  }
  return document.toString({ lineWidth: 0 });
}

/** Set a section apart by a blank line, with its short lists on one line each. */
function setSection(document: Document, section: string, value: object): void {
  const node = document.createNode(value, { aliasDuplicateObjects: false });
  visit(node, {
    Seq(_, list) {
      if (list.items.every(isScalar)) list.flow = true;
    },
  });
  document.set(document.createNode(section), node);
  visit(document, {
    Pair(_, { key }, path) {
      if (path.length === 2 && isScalar(key) && key.value === section) key.spaceBefore = true;
    },
  });
}

/** The environment variables that the text of a config refers to and that have no default. */
export function variablesOf(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/(?<!\$)\$\{(\w+)\}/g)].map(([, name = '']) => name))];
}
