import type { ObservedNameRow } from '@patchbay/core/storage';

export function observedNameJson(row: ObservedNameRow): object {
  const { id, name, count, refused, firstSeenAt, lastSeenAt, input, output } = row;
  return { id, name, count, refused, firstSeenAt, lastSeenAt, input, output };
}
