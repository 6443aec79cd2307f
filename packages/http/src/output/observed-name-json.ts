import type { ObservedNameRow } from '@patchbay/core/plugin';

export function observedNameJson(row: ObservedNameRow) {
  const { id, name, count, refused, firstSeenAt, lastSeenAt, input, output } = row;
  return { id, name, count, refused, firstSeenAt, lastSeenAt, input, output };
}
