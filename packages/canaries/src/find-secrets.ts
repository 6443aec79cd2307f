/** One place where a secret was found. */
export interface Find {
  readonly what: string;
  /** The surrounding text, with everything that is not printable replaced. */
  readonly around: string;
}

const AROUND = 60;

/** A secret in one form in which it can leak. */
export interface Pattern {
  /** The name of the secret, and the form if it is not the plain one. */
  readonly what: string;
  readonly bytes: Buffer;
}

/** Where bytes contain one of the patterns. */
export function findPatterns(bytes: Buffer, patterns: readonly Pattern[]): readonly Find[] {
  return patterns.flatMap((pattern) => {
    const at = bytes.indexOf(pattern.bytes);
    return at < 0 ? [] : [{ what: pattern.what, around: excerpt(bytes, at, pattern.bytes.length) }];
  });
}

export function excerpt(bytes: Buffer, at: number, length: number): string {
  const text = bytes.subarray(Math.max(0, at - AROUND), at + length + AROUND).toString('latin1');
  return text.replaceAll(/[^ -~]/g, '.');
}

/** A secret in plain form, as in a URL or in JSON, in hex and in base64. */
export function patternsOf(name: string, secret: string): readonly Pattern[] {
  const bytes = Buffer.from(secret);
  const forms = new Map([[secret, name]]);
  const add = (form: string, text: string) => forms.has(text) || forms.set(text, `${name} in ${form}`);
  add('a URL', encodeURIComponent(secret));
  add('JSON', JSON.stringify(secret).slice(1, -1));
  add('hex', bytes.toString('hex'));
  add('hex', bytes.toString('hex').toUpperCase());
  for (const before of [0, 1, 2]) {
    add('base64', withinBase64(bytes, before, 'base64'));
    add('base64', withinBase64(bytes, before, 'base64url'));
  }
  return [...forms].map(([text, what]) => ({ what, bytes: Buffer.from(text) }));
}

/** The characters that depend only on these bytes when this many others come before them. */
function withinBase64(bytes: Buffer, before: number, encoding: 'base64' | 'base64url'): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString(encoding);
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
}
