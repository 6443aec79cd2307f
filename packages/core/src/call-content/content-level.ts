import { type ContentLevel, contentLevels } from '@patchbay/contracts/content';

/** The lower of two levels. */
export function lowerLevel(one: ContentLevel, other: ContentLevel | undefined): ContentLevel {
  if (other === undefined) return one;
  return contentLevels.indexOf(other) < contentLevels.indexOf(one) ? other : one;
}
