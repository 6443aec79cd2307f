#!/usr/bin/env node
import { createPlugin, nodeVersionFault } from './create-plugin.ts';
import { templates } from './package-files.ts';

const fault = nodeVersionFault();
if (fault !== undefined) {
  process.stderr.write(`create-plugin: ${fault}\n`);
  process.exit(1);
}

const [kind, name, directory, ...rest] = process.argv.slice(2);
if (kind === undefined || name === undefined || rest.length > 0 || kind.startsWith('-')) {
  process.stderr.write(`usage: npm create @patchbay/plugin <${templates.join('|')}> <name> [folder]\n`);
  process.exit(2);
}
try {
  const created = await createPlugin({ kind, name, ...(directory === undefined ? {} : { directory }) });
  process.stdout.write(`Wrote ${created.name}:\n${created.files.map((file) => `  ${file}\n`).join('')}\n`);
  process.stdout.write(`Next:\n${created.next.map((command) => `  ${command}\n`).join('')}`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
