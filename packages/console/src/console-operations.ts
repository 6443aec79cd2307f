import { PatchbayError } from '@patchbay/core';
import { definePublicOperation, type Operation, sessionOperations } from '@patchbay/http';
import { readConsoleFile, readConsolePage } from './console-files.ts';

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join('; ');

const page = definePublicOperation({
  id: 'getConsole',
  method: 'GET',
  path: '/console',
  area: 'system',
  scope: 'public',
  summary: 'Open the web console',
  description:
    'A page for people, which loads nothing from other servers. It asks for an API key, and can do what that key can.',
  success: { status: 200, description: 'The page.', mediaType: 'text/html; charset=utf-8' },
  async handle(_app, { prefixes }) {
    const built = await readConsolePage();
    if (built === undefined)
      throw new PatchbayError('route_not_found', 'the console is not built: run npm run build:console');
    const values: Readonly<Record<string, string>> = prefixes;
    const text = built.replaceAll(/\{(\w+)\}/g, (_, area: string) => escaped(values[area] ?? ''));
    const headers = {
      'Content-Security-Policy': contentSecurityPolicy,
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
    };
    return { text, mediaType: 'text/html; charset=utf-8', headers };
  },
});

const file = definePublicOperation({
  id: 'getConsoleFile',
  method: 'GET',
  path: '/console/:file',
  area: 'system',
  scope: 'public',
  summary: 'Load a part of the web console',
  description: 'Scripts and styles. Their names contain a hash of what is in them, so that browsers keep them.',
  params: { file: { description: 'Name of the file.', notFound: 'route_not_found' } },
  success: { status: 200, description: 'The file.', mediaType: 'text/javascript; charset=utf-8' },
  async handle(_app, { params, header }) {
    const name = params['file'] ?? '';
    const found = await readConsoleFile(name, header('accept-encoding'));
    if (!found) throw new PatchbayError('route_not_found', 'the console has no such file');
    // A name always has the same content, whatever the encoding.
    const tag = `W/"${name}"`;
    const headers = { 'Cache-Control': 'public, max-age=31536000, immutable', ETag: tag, Vary: 'Accept-Encoding' };
    if (header('if-none-match')?.includes(tag)) return { status: 304, empty: true, headers };
    const encoded = found.encoding === undefined ? headers : { ...headers, 'Content-Encoding': found.encoding };
    return { text: found.bytes, mediaType: found.mediaType, headers: encoded };
  },
});

/**
 * The web console at `/console`, and the sessions of those who sign in to it. The reference server adds it by itself; other hosts add it to the operations they serve:
 * `createNodeListener(app, { operations: [...operations, ...consoleOperations] })`.
 */
export const consoleOperations: readonly Operation[] = [page, ...sessionOperations, file];

// A host may strip a prefix that the caller has chosen.
function escaped(text: string): string {
  return text.replaceAll(/[^\w.~/-]/g, (character) => `&#${character.codePointAt(0)};`);
}
