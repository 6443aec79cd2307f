import { jsonrepair } from 'jsonrepair';
import { readJson } from '../../base/read-json.ts';

/** The JSON value in what a model wrote, and whether it had to be mended; or undefined where there is none. */
export type ExtractedJson = { readonly value: unknown; readonly repaired: boolean };

/** Characters that are repaired: it takes a hundred times as long as to parse them. */
const MOST_REPAIRED = 65_536;

/**
 * Find the JSON object in a model's text. Models put it between fences or into prose, leave commas at the end, and quote
 * with the wrong signs: all of that is mended. An object that is cut is not: half an answer is none.
 */
export async function extractJson(text: string): Promise<ExtractedJson | undefined> {
  const trimmed = text.trim();
  const whole = await parse(trimmed);
  if (whole !== undefined) return { value: whole, repaired: false };
  const found = firstObject(trimmed);
  if (found === undefined) return undefined;
  const exact = await parse(found);
  if (exact !== undefined) return { value: exact, repaired: true };
  if (found.length > MOST_REPAIRED) return undefined;
  try {
    const value = await parse(jsonrepair(found));
    return value === undefined ? undefined : { value, repaired: true };
  } catch {
    return undefined;
  }
}

async function parse(text: string): Promise<unknown> {
  try {
    return (await readJson(text)).value;
  } catch {
    return undefined;
  }
}

/** From the first opening bracket to the one that closes it, brackets within strings aside. */
function firstObject(text: string): string | undefined {
  const start = text.indexOf('{');
  if (start === -1) return undefined;
  let depth = 0;
  let quoted = false;
  for (let index = start; index < text.length; index += 1) {
    const character = text[index];
    if (quoted) {
      if (character === '\\') index += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return text.slice(start, index + 1);
    }
  }
  return undefined;
}
