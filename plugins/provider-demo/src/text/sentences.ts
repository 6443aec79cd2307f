import { termsOf } from './words.ts';

export interface Sentence {
  /** As it stands in the text, without white space and list marks around it. */
  readonly text: string;
  readonly terms: readonly string[];
}

const sentenceEnd = /(?<=[.!?…]["'”’)\]]?)\s+(?=[^\p{Ll}\s])|(?<=[。！？])|[\r\n]+/u;

export function sentencesOf(text: string): readonly Sentence[] {
  const seen = new Set<string>();
  const sentences: Sentence[] = [];
  for (const part of text.split(sentenceEnd)) {
    const trimmed = part.replace(/^[-*•#>\s]+/, '').trim();
    if (trimmed === '' || seen.has(trimmed)) continue;
    seen.add(trimmed);
    sentences.push({ text: trimmed, terms: termsOf(trimmed) });
  }
  return sentences;
}

/** Whether it announces what follows, like `Summarize this text:`. */
export function isHeading({ text }: Sentence): boolean {
  return text.endsWith(':') || text.endsWith('：');
}

export function isQuestion({ text }: Sentence): boolean {
  return /[?？]["'”’)]?$/.test(text) || /^(?:who|whose|what|when|where|which|why|how)\b[^:]*$/i.test(text);
}
