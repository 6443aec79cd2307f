const secretNames: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'apikey',
  'key',
  'token',
  'secret',
  'password',
  'cookie',
]);

const DEPTH = 4;

/**
 * The same fields with `[hidden]` for what has the name of a secret, at the top and within plain objects. Written by
 * hand: it runs for every line, and hardly any has something to hide.
 */
export function hideSecrets(fields: object, depth = DEPTH): object {
  let hidden: Record<string, unknown> | undefined;
  for (const name in fields) {
    const value = (fields as Record<string, unknown>)[name];
    let shown = value;
    if (secretNames.has(name.toLowerCase())) shown = '[hidden]';
    else if (depth > 1 && isPlain(value)) shown = hideSecrets(value, depth - 1);
    if (shown === value) continue;
    hidden ??= { ...fields };
    hidden[name] = shown;
  }
  return hidden ?? fields;
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
