import { definedMembers, modelCapabilities } from '@patchbay/core/provider';
import type { Routing } from '../gateway-types.ts';
import type { Field } from './field.ts';

const optimizations = ['quality', 'cost', 'performance', 'balanced'] as const satisfies readonly Routing['optimize'][];
const known = [
  'capabilities',
  'optimize',
  'maxPrice',
  'providers',
  'fallbacks',
] as const satisfies readonly (keyof Routing)[];
const MAX_FALLBACKS = 3;
const MAX_NAMES = 100;

/** The member `routing` that Patchbay accepts in the bodies of other APIs: how the model is to be chosen. */
export function readRouting(routing: Field): Routing {
  refuseOthers(routing, known);
  const fallbacks = routing.member('fallbacks').maybe((field) => names(field, MAX_FALLBACKS));
  return definedMembers({
    capabilities: routing
      .member('capabilities')
      .maybe((field) => limited(field, MAX_NAMES).map((item) => item.oneOf(modelCapabilities))),
    optimize: routing.member('optimize').maybe((field) => field.oneOf(optimizations)),
    maxPrice: routing.member('maxPrice').maybe((field) => field.number({ min: 0 })),
    providers: routing.member('providers').maybe(readProviders),
    fallbacks,
  });
}

function readProviders(providers: Field): NonNullable<Routing['providers']> {
  refuseOthers(providers, ['allow', 'deny']);
  const read = (name: string) => providers.member(name).maybe((field) => names(field, MAX_NAMES));
  return definedMembers({ allow: read('allow'), deny: read('deny') });
}

/** A misspelt member would choose another model than the caller wants. */
function refuseOthers(object: Field, accepted: readonly string[]): void {
  for (const [name, field] of object.members()) {
    if (!accepted.includes(name))
      field.fail('unsupported_parameter', `is not a member here: ${accepted.join(', ')} are`);
  }
}

function names(field: Field, most: number): readonly string[] {
  return limited(field, most).map((item) => item.name());
}

function limited(field: Field, most: number): readonly Field[] {
  const items = field.list();
  return items.length > most ? field.fail('invalid_value', `must have at most ${most} items`) : items;
}
