// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the messages are about just that
import { type Interpolated, interpolate } from '../config/interpolate.ts';
import { createLookup } from '../config/lookup-reference.ts';
import type { Reference } from '../config/template.ts';
import { type OpenSecretsOptions, openSecrets } from './open-secrets.ts';

export interface FilledConfig extends Interpolated {
  readonly value: Readonly<Record<string, unknown>>;
}

/** Put all texts of a config together, those of its section `secrets` first: the others may need the plugin there. */
export async function fillConfig(
  config: Readonly<Record<string, unknown>>,
  options: Omit<OpenSecretsOptions, 'interpolated'>,
): Promise<FilledConfig> {
  const { env, directory } = options;
  const { secrets: section, ...others } = config;
  const plain = createLookup({ env, directory, secrets: undefined });
  const first = await interpolate(section, notSecret(plain), ['secrets']);

  const interpolated = new Set(first.references.keys());
  const needed = JSON.stringify(others).includes('${secret:');
  const opened = needed ? await openSecrets(first.value, { ...options, interpolated }) : undefined;
  try {
    const rest = await interpolate(others, createLookup({ env, directory, secrets: opened?.secrets }));
    const value = rest.value as FilledConfig['value'];
    return {
      value: section === undefined ? value : { ...value, secrets: first.value },
      references: new Map<string, readonly Reference[]>([...first.references, ...rest.references]),
      unfilled: new Set([...first.unfilled, ...rest.unfilled]),
      problems: [...first.problems, ...(opened?.problems ?? []), ...rest.problems],
    };
  } finally {
    await opened?.close();
  }
}

function notSecret(lookup: ReturnType<typeof createLookup>): ReturnType<typeof createLookup> {
  return async (reference) =>
    reference.kind === 'secret'
      ? { fault: 'cannot use ${secret:...}: secrets come from here' }
      : await lookup(reference);
}
