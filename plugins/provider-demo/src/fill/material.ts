import type { JsonValue } from '@patchbay/core/plugin';
import { type Sentence, sentencesOf } from '../text/sentences.ts';
import { termsOf } from '../text/words.ts';
import { findJson } from './find-json.ts';
import { type FoundNumber, findNumbers } from './find-numbers.ts';
import { findNamedValues, type NamedValues } from './named-values.ts';

/** What values are taken from: nothing else goes into an answer but what the schema itself says. */
export interface Material {
  readonly text: string;
  readonly terms: ReadonlySet<string>;
  readonly sentences: readonly Sentence[];
  readonly numbers: readonly FoundNumber[];
  readonly named: NamedValues;
}

/**
 * @param source What the request is about.
 * @param before What was said earlier: only looked at for values with a name.
 */
export function createMaterial(source: string, before = ''): Material {
  const text = withoutJson(source);
  return {
    text,
    terms: new Set(termsOf(text)),
    sentences: sentencesOf(text),
    numbers: findNumbers(text),
    named: findNamedValues(before === '' ? source : `${source}\n${before}`),
  };
}

/** The text with the texts of its JSON in the place of that. */
function withoutJson(text: string): string {
  let result = '';
  let place = 0;
  for (const { value, start, end } of findJson(text)) {
    result += `${text.slice(place, start)}\n${textsIn(value).join('\n')}\n`;
    place = end;
  }
  return result + text.slice(place);
}

function textsIn(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
