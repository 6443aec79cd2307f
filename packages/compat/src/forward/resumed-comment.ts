import type { Resumed } from '../gateway-types.ts';

/** Tells that another model continues a stream. The header is long gone; clients skip comments. */
export function resumedComment({ resumed: { route } }: Resumed): string {
  return `: Patchbay-Route: ${route}\n\n`;
}
