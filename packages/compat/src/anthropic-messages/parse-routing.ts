import { definedMembers, modelCapabilities } from '@patchbay/core/provider';
import type { Routing } from '../gateway-types.ts';
import type { Fields } from './fields.ts';
import { invalidRequest, placeOf } from './invalid-request.ts';

const optimizations = ['quality', 'cost', 'performance', 'balanced'] as const satisfies readonly NonNullable<
  Routing['optimize']
>[];

type Providers = NonNullable<Routing['providers']>;

/** The member `routing` that the native API has, and that compatible requests may have as well. */
export function parseRouting(body: Fields<{ readonly routing?: Routing }>): Routing | undefined {
  const routing = body.optionalObject<Routing>('routing');
  if (!routing) return undefined;
  const capabilities = routing.texts('capabilities')?.map((value, index) => {
    const found = modelCapabilities.find((each) => each === value);
    if (found) return found;
    const all = modelCapabilities.map((each) => `'${each}'`).join(', ');
    throw invalidRequest(placeOf(routing.at('capabilities'), index), `Input should be one of ${all}`, 'enum');
  });
  const optimize = routing.get('optimize') === undefined ? undefined : routing.oneOf('optimize', optimizations);
  const maxPrice = routing.number('maxPrice', { min: 0 });
  const providers = parseProviders(routing.optionalObject<Providers>('providers'));
  const fallbacks = routing.texts('fallbacks');
  if (fallbacks && fallbacks.length > 3) {
    throw invalidRequest(routing.at('fallbacks'), 'List should have at most 3 items', 'maxItems');
  }
  refuseMore(routing);
  return definedMembers({ capabilities, optimize, maxPrice, providers, fallbacks });
}

function parseProviders(providers: Fields<Providers> | undefined): Providers | undefined {
  if (!providers) return undefined;
  const [allow, deny] = [providers.texts('allow'), providers.texts('deny')];
  refuseMore(providers);
  return definedMembers({ allow, deny });
}

/** A misspelt member would change the choice without a sign. */
function refuseMore<T extends object>(fields: Fields<T>): void {
  const [name] = Object.keys(fields.rest() ?? {});
  if (name !== undefined) {
    throw invalidRequest(placeOf(fields.place, name.slice(0, 80)), 'Extra inputs are not permitted', 'unknown_field');
  }
}
