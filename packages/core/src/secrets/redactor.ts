/** Redacts secrets in logs, problem documents and messages. */
export interface Redactor {
  /** Also redact these values and matches of these patterns everywhere. Flags of a pattern are ignored. */
  hide(values: readonly (string | RegExp)[]): void;
  /** The text with `[hidden]` for each secret in it. */
  text(text: string): string;
  /** The same fields with `[hidden]` for those named like a secret, at the top and within plain objects. */
  fields(fields: object): object;
}

const secretNames: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'x-goog-api-key',
  'apikey',
  'key',
  'token',
  'secret',
  'clientsecret',
  'password',
  'cookie',
]);

/** Whether a member of this name holds a credential. Names of environment variables and of JSON APIs count as well. */
export function isSecretName(name: string): boolean {
  const lower = name.toLowerCase();
  return secretNames.has(lower) || secretNames.has(lower.replaceAll(/[-_]/g, '')) || /(?:^|_)token$/.test(lower);
}

const DEPTH = 4;

/** A shorter value would hide half of every text. */
const SHORTEST = 8;

const HIDDEN = '[hidden]';

/** Webhook secrets and JWTs are recognized by their format. Plugins add the formats of their secrets. */
const ownForms = ['pb[sl]_[\\w-]{43}', 'whsec_[\\w+/=-]{16,}', 'eyJ[\\w-]+\\.[\\w-]+\\.[\\w-]+'];

/**
 * Removes secrets from logs and responses. Pass it to `createApp` to share one with the logs of the host.
 *
 * @param values Secrets to hide from the start; those of a config are added by `createApp`.
 *
 * @example
 * ```ts
 * import { createRedactor } from '@patchbay/core';
 *
 * const redactor = createRedactor(['a-key-of-a-vendor']);
 * console.log(redactor.text('refused a-key-of-a-vendor')); // refused [hidden]
 * ```
 */
export function createRedactor(values: readonly string[] = []): Redactor {
  const known = new Set<string>();
  const forms = new Set(ownForms);
  let pattern: RegExp;
  const hide = (more: readonly (string | RegExp)[]): void => {
    for (const value of more) {
      if (typeof value !== 'string') forms.add(value.source);
      else if (value.length >= SHORTEST) for (const form of formsOf(value)) known.add(form);
    }
    // The longest first: one may be the beginning of another.
    const literals = [...known].sort((one, other) => other.length - one.length).map(escapePattern);
    pattern = new RegExp([...literals, ...forms].join('|'), 'g');
  };
  hide(values);
  return {
    hide,
    text: (text) => text.replace(pattern, HIDDEN),
    fields: (fields) => hideNamed(fields, DEPTH),
  };
}

/** The forms in which a value may be written: verbatim, in JSON, in a URL, in base64. */
function formsOf(value: string): readonly string[] {
  const base64 = Buffer.from(value).toString('base64').replace(/=+$/, '');
  return [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed()), base64];
}

/** Written by hand: it runs for every log line, and hardly any has something to hide. */
function hideNamed(fields: object, depth: number): object {
  let hidden: Record<string, unknown> | undefined;
  for (const name in fields) {
    const value = (fields as Record<string, unknown>)[name];
    let shown = value;
    if (secretNames.has(name.toLowerCase())) shown = HIDDEN;
    else if (depth > 1 && isPlain(value)) shown = hideNamed(value, depth - 1);
    if (shown === value) continue;
    hidden ??= { ...fields };
    hidden[name] = shown;
  }
  return hidden ?? fields;
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** A pattern that matches exactly this text. */
export function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
