import type { JsonObject, Schema } from '@patchbay/core/plugin';
import type { Filling, Run, Slot } from './slot.ts';

/** Every property that is required, and of the others those for which something was found. */
export function fillObject(slot: Slot, run: Run): Filling | undefined {
  const { properties = {}, required = [], additionalProperties } = slot.schema;
  const names = new Set([...Object.keys(properties), ...required]);
  const members: [string, Filling][] = [];
  for (const name of names) {
    const isRequired = required.includes(name);
    const schema = Object.hasOwn(properties, name) ? properties[name] : undeclared(additionalProperties);
    const pointer = `${slot.pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const filling = schema && run.fill({ schema, name, pointer }, run);
    if (filling && (isRequired || filling.found)) members.push([name, filling]);
    else if (isRequired) return undefined;
  }
  const value: JsonObject = Object.fromEntries(members.map(([name, filling]) => [name, filling.value]));
  return {
    value,
    found: members.some(([, filling]) => filling.found),
    placeholders: members.flatMap(([, filling]) => filling.placeholders),
  };
}

function undeclared(additionalProperties: Schema['additionalProperties']): Schema | undefined {
  if (additionalProperties === false) return undefined;
  return typeof additionalProperties === 'object' ? additionalProperties : {};
}
