/** Modules of Node.js that work in a function: they compute, and need no permission of Deno. */
const names = [
  'assert',
  'assert/strict',
  'async_hooks',
  'buffer',
  'crypto',
  'diagnostics_channel',
  'events',
  'path',
  'path/posix',
  'path/win32',
  'perf_hooks',
  'punycode',
  'querystring',
  'stream',
  'stream/consumers',
  'stream/promises',
  'stream/web',
  'string_decoder',
  'timers',
  'timers/promises',
  'url',
  'util',
  'util/types',
] as const;

export const builtIns: readonly string[] = names.map((name) => `node:${name}`);

/** A built-in that functions may import, as modules spell it: `node:util` for `util`. */
export function builtInOf(specifier: string): string | undefined {
  const spelled = specifier.startsWith('node:') ? specifier : `node:${specifier}`;
  return builtIns.includes(spelled) ? spelled : undefined;
}
