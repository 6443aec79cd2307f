import type { Extra } from '../contracts/message.ts';
import type { ChatRequest } from '../contracts/provider.ts';

/**
 * One sentence for each wire format whose members in `extra` an adapter does not send: those of the request, its tools,
 * its messages and their parts.
 *
 * @param isSent Whether the adapter sends a member of that format.
 *
 * @example
 * ```ts
 * import { type ChatRequest, foreignMembers } from '@patchbay/core/provider';
 *
 * export const warningsOf = (request: ChatRequest) => foreignMembers(request, (format) => format === 'acme');
 * ```
 */
export function foreignMembers(
  request: ChatRequest,
  isSent: (format: string, member: string) => boolean,
): readonly string[] {
  const foreign = new Map<string, Set<string>>();
  const note = ({ extra }: { readonly extra?: Extra }): void => {
    if (!extra) return;
    for (const [format, members] of Object.entries(extra)) {
      const unsent = Object.keys(members).filter((member) => !isSent(format, member));
      if (unsent.length > 0) foreign.set(format, new Set([...(foreign.get(format) ?? []), ...unsent]));
    }
  };
  note(request);
  request.tools?.forEach(note);
  for (const message of request.messages) {
    note(message);
    if (typeof message.content !== 'string') message.content.forEach(note);
  }
  if (foreign.size === 0) return [];
  return [...foreign].map(
    ([format, members]) => `members that only ${format} has were not sent: ${[...members].join(', ')}`,
  );
}
