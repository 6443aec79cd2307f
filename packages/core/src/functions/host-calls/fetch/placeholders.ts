import { randomUUID } from 'node:crypto';
import type { HostPattern } from './host-pattern.ts';

/** A secret that a function may send to some hosts, and never see. */
export interface GrantedSecret {
  readonly value: string;
  readonly hosts: readonly HostPattern[];
}

export interface HeldSecret extends GrantedSecret {
  readonly name: string;
  /** What the code holds instead. Of one run only, so that a text from outside cannot be taken for it. */
  readonly placeholder: string;
}

export function holdSecrets(secrets: ReadonlyMap<string, GrantedSecret>): readonly HeldSecret[] {
  return [...secrets].map(([name, secret]) => ({ ...secret, name, placeholder: `secret-${name}-${randomUUID()}` }));
}

/**
 * Put the placeholder back wherever an answer has the secret: as it is, or as it looks within JSON, URLs, hex and base64.
 * A guard against servers that show what they were sent. One that hides it from the guard can tell it anybody: a secret is
 * sent only to those who know it.
 */
export function redact(bytes: Buffer, secrets: readonly HeldSecret[]): Buffer {
  // One character is one byte, so that texts and pictures pass alike.
  const text = bytes.toString('latin1');
  const redacted = secrets.reduce(
    (rest, { value, placeholder }) =>
      formsOf(value).reduce((each, form) => each.replaceAll(form, () => placeholder), rest),
    text,
  );
  return redacted === text ? bytes : Buffer.from(redacted, 'latin1');
}

function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const base64 = [0, 1, 2].flatMap((offset) => {
    const text = base64Within(bytes, offset);
    return [text, text.replaceAll('+', '-').replaceAll('/', '_')];
  });
  const hex = bytes.toString('hex');
  const forms = [
    bytes.toString('latin1'),
    Buffer.from(JSON.stringify(value).slice(1, -1)).toString('latin1'),
    encodeURIComponent(value),
    hex,
    hex.toUpperCase(),
    ...base64,
  ];
  return [...new Set(forms)];
}

/** The characters of base64 that depend on these bytes alone, wherever they stand among others. */
function base64Within(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}
