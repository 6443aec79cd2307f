import type { Source } from '../source/source.ts';
import type { Models } from './read-models.ts';
import type { Translation } from './translate-template.ts';

/** Settings of a function. */
export type Settings = Readonly<Record<string, unknown>>;

/** The templates of a variant, translated. */
export interface Prompts {
  readonly system: Translation | undefined;
  readonly user: Translation | undefined;
}

const sampling = {
  temperature: 'temperature',
  top_p: 'topP',
  max_tokens: 'maxTokens',
  presence_penalty: 'presencePenalty',
  frequency_penalty: 'frequencyPenalty',
} as const;

/** The settings of a variant; the reason if they cannot be expressed. */
export function settingsOf(
  source: Source,
  { system, user }: Prompts,
  models: Models,
  differences: string[],
): Settings | string {
  const found = models.find(source.text('model') ?? '');
  if ('reason' in found) return found.reason;
  // The gateway always uses the strictest technique that the model supports.
  source.text('json_mode');
  const values = Object.entries(sampling).flatMap(([name, setting]) => {
    const value = source.number(name);
    return value === undefined ? [] : [[setting, value] as const];
  });
  const message = user?.text;
  const hasValues = system !== undefined && system.variables.length > 0;
  if (hasValues) differences.push('the system prompt takes no values, so its text begins the prompt');
  const parts = [hasValues ? system.text : undefined, message].filter((part) => part !== undefined);
  return {
    model: found.model,
    ...(system !== undefined && !hasValues && { system: system.text }),
    ...(parts.length > 0 && { prompt: parts.join('\n\n') }),
    ...Object.fromEntries(values),
  };
}
