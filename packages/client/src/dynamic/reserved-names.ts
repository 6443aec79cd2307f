/**
 * Names that languages, runtimes, test runners and frameworks read from objects to find out what they are. As functions
 * they would turn an `await`, a log line or a comparison into a call that is paid for, or into a wait without an end.
 * What every object has, such as `toString`, is reserved as well. `$call` reaches them all the same.
 */
export const reservedNames: ReadonlySet<string> = new Set(
  (
    'then catch finally toJSON toBSON __esModule default prototype inspect nodeType nodeName tagName ' +
    'asymmetricMatch _isMockFunction ref _owner _store @@__IMMUTABLE_ITERABLE__@@ @@__IMMUTABLE_RECORD__@@'
  ).split(' '),
);
