import type { ObservedNameRow } from '@patchbay/core/plugin';

export function observedNameJson({ revision: _, ...name }: ObservedNameRow) {
  return name;
}
