import type { Schema } from '@patchbay/core/plugin';

/** The property that text is added to which a generator yields: the only one of an output that is text. */
export function textProperty({ properties = {} }: Schema): string | undefined {
  const [only, ...others] = Object.keys(properties).filter((name) => properties[name]?.type === 'string');
  return others.length === 0 ? only : undefined;
}
