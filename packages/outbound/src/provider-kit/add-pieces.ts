import type { JoinedDocuments } from '@patchbay/contracts/base/repeated-json';
import type { ChatDelta } from '@patchbay/contracts/provider';

/** Add the deltas a reader made from joined events. Those before their text come first; the text keeps its pieces. */
export function addPieces({ pieces }: JoinedDocuments, said: readonly ChatDelta[], deltas: ChatDelta[]): void {
  const last = said.at(-1);
  const joined = pieces.join('');
  if (!last || !('text' in last) || !last.text.endsWith(joined)) {
    deltas.push(...said);
    return;
  }
  deltas.push(...said.slice(0, -1));
  const own = pieces.filter((piece) => piece !== '');
  // Some readers put a space between two parts.
  const before = last.text.slice(0, last.text.length - joined.length);
  if (own.length > 0) own[0] = before + own[0];
  if (last.type === 'text' || last.type === 'reasoning') {
    if (own.length > 0) deltas.push(own.length > 1 ? { ...last, pieces: own } : last);
  } else for (const text of own) deltas.push({ ...last, text });
}
