import { stem } from '../text/words.ts';

const stems = (words: string): ReadonlySet<string> => new Set(words.split(' ').map(stem));

const longText = stems(
  'answer article body content context description details document explanation input message note notes paragraph ' +
    'point points prompt query question reason sentence sentences summary summaries text',
);
const keywords = stems('category categories keyword keywords label labels tag tags term topic topics word words');

const formatWords: readonly (readonly [format: string, words: ReadonlySet<string>])[] = [
  ['email', stems('email mail')],
  ['uri', stems('url uri link website homepage')],
  ['date', stems('date birthday')],
  ['uuid', stems('uuid guid')],
];

/** What kind of text a property is for, going by its name and description. */
export interface TextHint {
  /** Whole sentences, and not the name of something. */
  readonly isLong: boolean;
  readonly isKeyword: boolean;
}

export function textHintOf(terms: readonly string[]): TextHint {
  return { isLong: terms.some((term) => longText.has(term)), isKeyword: terms.some((term) => keywords.has(term)) };
}

/** The format that a property without one probably has, going by its name. */
export function formatHintOf(terms: readonly string[]): string | undefined {
  return formatWords.find(([, words]) => terms.some((term) => words.has(term)))?.[0];
}
