import { RE2JS } from 're2js';
import { type Check, vote } from '../eval-case.ts';
import { outputCheck } from './output-check.ts';
import { valueAt } from './value-at.ts';

/**
 * Strings at these locations match regular expressions, in linear time.
 *
 * @throws Error with the reason for an expression that is not one in RE2 syntax.
 */
export function matches(places: Readonly<Record<string, string>>): Check {
  const wanted = Object.entries(places).map(([pointer, text]) => ({ pointer, text, pattern: RE2JS.compile(text) }));
  const texts = wanted.map(({ pointer, text }) => `${pointer} like ${text}`);
  return outputCheck('matches', texts.join(', '), (output) =>
    vote(
      wanted.every(({ pointer, pattern }) => {
        const actual = valueAt(output, pointer);
        return typeof actual === 'string' && pattern.matcher(actual).find();
      }),
    ),
  );
}
