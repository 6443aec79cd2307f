import type { Attributes as OtelAttributes } from '@opentelemetry/api';
import type { Attributes } from '@patchbay/core/plugin';

/** Attributes as OpenTelemetry has them: what is empty, such as the `error.type` of a success, is left out. */
export function attributesOf(
  attributes: Attributes,
  names: readonly string[] = Object.keys(attributes),
): OtelAttributes {
  const told: OtelAttributes = {};
  for (const name of names) {
    const value = attributes[name];
    if (value === undefined || value === '') continue;
    told[name] = typeof value === 'object' ? [...value] : value;
  }
  return told;
}
