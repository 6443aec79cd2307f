import { relative } from 'node:path';
import type { DevelopmentServer } from './development-server.ts';

/** What a person at the terminal sees once a server for developing listens. */
export function developmentWelcome(options: {
  readonly server: Pick<DevelopmentServer, 'url' | 'loaded'>;
  /** The key for developing; nothing where the developer has one of their own. */
  readonly key: string | undefined;
  /** The file that has it. */
  readonly file: string | undefined;
  readonly root: string;
  readonly cwd: string;
}): string {
  const { server, key, file, root, cwd } = options;
  const { basePath } = server.loaded.server;
  const token = key ?? '$PATCHBAY_BOOTSTRAP_KEY';
  return [
    '',
    `  Patchbay listens on ${server.url}, for developing`,
    `  Config: ${server.loaded.file ?? 'built-in defaults'}`,
    `  Functions: ${relative(cwd, root) || '.'}/`,
    ...(key === undefined || file === undefined ? [] : [`  Key: ${key} (kept in ${relative(cwd, file)})`]),
    `  Reference: ${server.url}${basePath.system}/docs`,
    `  Try: curl ${server.url}${basePath.functions}/functions -H "Authorization: Bearer ${token}"`,
    '  Commands in this folder find this server, and its key, by themselves. Ctrl-C ends it.',
    '',
    '',
  ].join('\n');
}
