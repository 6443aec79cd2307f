/** The beginning of a text with at most so many characters, up to the end of a word where there is one. */
export function cutToCharacters(text: string, count: number): string {
  const characters = Array.from(text);
  return characters.length <= count ? text : cutAtWord(text, characters.slice(0, count).join(''));
}

/** The beginning of a text with at most so many bytes in UTF-8, up to the end of a word where there is one. */
export function cutToBytes(text: string, count: number): string {
  const bytes = Buffer.from(text);
  // As a stream, the decoder keeps back the first bytes of a character that is cut in two.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return bytes.length <= count ? text : cutAtWord(text, decoder.decode(bytes.subarray(0, count), { stream: true }));
}

function cutAtWord(text: string, cut: string): string {
  const isBetweenWords = /^\s/.test(text.slice(cut.length));
  return (isBetweenWords ? cut : cut.replace(/\s\S*$/, '')).trimEnd() || cut;
}
