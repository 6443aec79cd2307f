import { jsonTextOf } from '../../base/json-text-of.ts';
import type { FunctionSettings } from '../../contracts/function-settings.ts';
import type { JsonObject } from '../../contracts/json.ts';
import type { Message } from '../../contracts/provider.ts';
import { fillTemplate } from '../../settings/prompt-template.ts';

/** What a model is told of a function. */
export interface ToldFunction {
  readonly name: string;
  readonly description: string;
}

/** The messages that have a model do the work of a function. */
export function taskConversation(
  told: ToldFunction,
  input: JsonObject,
  { system, prompt, examples = [] }: FunctionSettings,
): readonly Message[] {
  const question = (value: JsonObject): Message => ({
    role: 'user',
    content: prompt === undefined ? jsonTextOf(value) : fillTemplate(prompt, { ...told, input: value }),
  });
  return [
    { role: 'system', content: system ?? defaultSystem(told) },
    ...examples.flatMap((example): readonly Message[] => [
      question(example.input),
      { role: 'assistant', content: JSON.stringify(example.output) },
    ]),
    question(input),
  ];
}

function defaultSystem({ name, description }: ToldFunction): string {
  const purpose = description === '' ? '' : ` Its purpose: ${description}`;
  return `You do the work of the function "${name}".${purpose} Each message is an input; answer it with the output.`;
}
