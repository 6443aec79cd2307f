import type { Schema } from '@patchbay/core/plugin';

/** The property to which the text that a generator yields is added: the only text property of an output. */
export function textProperty({ properties = {} }: Schema): string | undefined {
  const [only, ...others] = Object.keys(properties).filter((name) => properties[name]?.type === 'string');
  return others.length === 0 ? only : undefined;
}
