import type { Resumed } from '../gateway-types.ts';

/** Reports that another model continues a stream. The header has long been sent; clients skip comments. */
export function resumedComment({ resumed: { route } }: Resumed): string {
  return `: Patchbay-Route: ${route}\n\n`;
}
