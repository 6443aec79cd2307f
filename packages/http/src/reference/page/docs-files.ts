import { createHash } from 'node:crypto';
import files from './docs-files.generated.json' with { type: 'json' };

/** The style and the script of the page. `npm run build:reference` builds them from `packages/console/src/app/docs`. */
const { style, script } = files;

// A hash in the name, so that browsers can cache a file forever.
const nameOf = (name: string, text: string): string => {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 10);
  return name.replace('.', `-${hash}.`);
};

export const docsFileNames = { style: nameOf('docs.css', style), script: nameOf('docs.js', script) };

/** By name. */
export const docsFiles: ReadonlyMap<string, { readonly text: string; readonly mediaType: string }> = new Map([
  [docsFileNames.style, { text: style, mediaType: 'text/css; charset=utf-8' }],
  [docsFileNames.script, { text: script, mediaType: 'text/javascript; charset=utf-8' }],
]);
