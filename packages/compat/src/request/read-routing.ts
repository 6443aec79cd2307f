import { definedMembers, modelCapabilities } from '@patchbay/core/provider';
import type { Routing } from '../gateway-types.ts';
import { Field } from './field.ts';

const optimizations = ['quality', 'cost', 'performance', 'balanced'] as const satisfies readonly Routing['optimize'][];
const interruptions = ['error', 'resume'] as const satisfies readonly Routing['onInterrupt'][];
const MAX_FALLBACKS = 3;
const MAX_NAMES = 100;

/** The member `routing` that Patchbay accepts in the bodies of other APIs: how to choose the model. */
export function readRouting(routing: Field<Routing>): Routing {
  const read = {
    capabilities: routing
      .member('capabilities')
      .maybe((field) => limited(field, MAX_NAMES).map((item) => item.oneOf(modelCapabilities))),
    optimize: routing.member('optimize').maybe((field) => field.oneOf(optimizations)),
    maxPrice: routing.member('maxPrice').maybe((field) => field.number({ min: 0 })),
    providers: routing.member('providers').maybe((providers) => {
      const names = (name: 'allow' | 'deny') => providers.member(name).maybe((field) => namesOf(field, MAX_NAMES));
      return refuseOthers(providers, definedMembers({ allow: names('allow'), deny: names('deny') }));
    }),
    onInterrupt: routing.member('onInterrupt').maybe((field) => field.oneOf(interruptions)),
    explore: routing.member('explore').maybe((field) => field.flag()),
    fallbacks: routing.member('fallbacks').maybe((field) => namesOf(field, MAX_FALLBACKS)),
  };
  return refuseOthers(routing, definedMembers(read));
}

/** A misspelt member would choose another model than the caller wants. */
function refuseOthers<T, R>(object: Field<T>, read: R): R {
  const [name] = Object.keys(object.rest() ?? {});
  if (name === undefined) return read;
  return new Field(undefined, `${object.pointer}/${name}`).fail('unsupported_parameter', 'is not a member here');
}

const namesOf = (field: Field<readonly string[]>, most: number) => limited(field, most).map((item) => item.name());

function limited<T extends readonly unknown[]>(field: Field<T>, most: number) {
  const items = field.list();
  return items.length > most ? field.fail('invalid_value', `must have at most ${most} items`) : items;
}
