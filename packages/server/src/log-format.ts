import { readableLog } from './dev/readable-log.ts';

/** How a log is written to a stream: as lines for people at a terminal, else as JSON. */
export function logFormat(
  { isTTY }: { readonly isTTY?: boolean },
  { env, json = false }: { readonly env: NodeJS.ProcessEnv; readonly json?: boolean },
): ((line: string) => string) | undefined {
  return isTTY && !json ? readableLog(!env['NO_COLOR']) : undefined;
}
