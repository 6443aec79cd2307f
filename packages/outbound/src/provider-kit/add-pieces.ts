import type { JoinedDocuments } from '@patchbay/contracts/base/repeated-json';
import type { ChatDelta } from '@patchbay/contracts/provider';

/** Add what a reader made of joined events. What begins with them comes before their text, which is added in its pieces. */
export function addPieces({ pieces }: JoinedDocuments, said: readonly ChatDelta[], deltas: ChatDelta[]): void {
  const last = said.at(-1);
  const joined = pieces.join('');
  if (!last || !('text' in last) || !last.text.endsWith(joined)) {
    deltas.push(...said);
    return;
  }
  deltas.push(...said.slice(0, -1));
  // Some readers put a space between two parts.
  let before = last.text.slice(0, last.text.length - joined.length);
  for (const piece of pieces) {
    if (piece === '') continue;
    deltas.push({ ...last, text: before + piece });
    before = '';
  }
}
