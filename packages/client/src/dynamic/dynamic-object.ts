import type { Call, CallStream } from './call.ts';
import type { CallOptions } from './call-options.ts';

/**
 * Names that languages, runtimes, test runners and frameworks read from objects to inspect them. As functions
 * they would turn an `await`, a log line or a comparison into a paid call, or an endless wait.
 * Members of every object, such as `toString`, are reserved as well. `$call` reaches all of these names.
 */
const reservedNames: ReadonlySet<string> = new Set(
  (
    'then catch finally toJSON toBSON __esModule default prototype inspect nodeType nodeName tagName ' +
    'asymmetricMatch _isMockFunction ref _owner _store @@__IMMUTABLE_ITERABLE__@@ @@__IMMUTABLE_RECORD__@@'
  ).split(' '),
);

/** Sends the calls of a dynamic object. */
export interface Caller {
  call(name: string, input: unknown, options: CallOptions | undefined): Call<unknown>;
  stream(name: string, input: unknown, options: CallOptions | undefined): CallStream<unknown>;
}

/** Number of cached functions, so that `ai.name === ai.name`. Beyond it, each access creates a new one. */
const keptFunctions = 1_000;

/**
 * An object on which every name is a function that calls `caller`. Only an explicit function call sends a request:
 * inspection sees an object without methods, with the declared names as keys.
 *
 * @throws TypeError for a name that no function can have.
 */
export function createDynamicObject(
  declared: readonly string[],
  own: Readonly<Record<`$${string}`, unknown>>,
  caller: Caller,
  description: () => string,
): object {
  const functions = new Map<string, unknown>();
  const functionOf = (name: string): unknown => {
    const known = functions.get(name);
    if (known) return known;
    // A function in an object takes its name from its key.
    const { [name]: call } = {
      [name]: (input?: unknown, options?: CallOptions) => caller.call(name, input, options),
    };
    const stream = (input?: unknown, options?: CallOptions) => caller.stream(name, input, options);
    const made = Object.assign(call as object, { stream });
    if (functions.size < keptFunctions) functions.set(name, made);
    return made;
  };

  const target: Record<string, unknown> = Object.create({
    [Symbol.toStringTag]: 'PatchbayClient',
    [Symbol.for('nodejs.util.inspect.custom')]: description,
    [Symbol.for('Deno.customInspect')]: description,
  });
  for (const name of declared) {
    const isReserved = reservedNames.has(name) || name in target || name.startsWith('$');
    if (isReserved) throw new TypeError(`"${name}" is reserved: use $call("${name}", input)`);
    target[name] = functionOf(name);
  }
  return new Proxy(target, {
    get(object, name, receiver) {
      // Members of every object, and those that were declared or assigned.
      if (typeof name === 'symbol' || name in object) return Reflect.get(object, name, receiver);
      if (name.startsWith('$')) return own[name as `$${string}`];
      return reservedNames.has(name) ? undefined : functionOf(name);
    },
  });
}
