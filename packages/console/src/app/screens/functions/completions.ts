import type { Schema } from '../../api/operations.generated.ts';

interface Word {
  readonly label: string;
  readonly detail?: string;
  readonly type: 'property' | 'function' | 'keyword';
}

/** Members of the second argument of a function. */
const contextWords: readonly Word[] = [
  { label: 'context.ai.generate', detail: '({ prompt, model? })', type: 'function' },
  { label: 'context.ai.chat', detail: '({ messages, model? })', type: 'function' },
  { label: 'context.ai.embed', detail: '({ text })', type: 'function' },
  { label: 'context.functions.call', detail: '(name, input)', type: 'function' },
  { label: 'context.fetch', detail: '(url, options?)', type: 'function' },
  { label: 'context.secrets.get', detail: '(name)', type: 'function' },
  { label: 'context.executionId', detail: 'string', type: 'property' },
  { label: 'context.signal', detail: 'AbortSignal', type: 'property' },
  ...['debug', 'info', 'warn', 'error'].map(
    (level): Word => ({ label: `context.log.${level}`, detail: '(…values)', type: 'function' }),
  ),
];

/** The words that the code of a function can use: members of its input and output, with their types, and the context. */
export function completionsOf(input: Schema | undefined, output: Schema | undefined): readonly Word[] {
  const members = [...Object.entries(input?.properties ?? {}), ...Object.entries(output?.properties ?? {})];
  const words = members.map(([label, schema]): Word => ({ label, detail: typeOf(schema), type: 'property' }));
  return [...new Map([...contextWords, ...words].map((word) => [word.label, word])).values()];
}

/** The type of a schema in a few words. */
export function typeOf({ type, enum: choices, properties, items }: Schema): string {
  if (choices) return choices.map((choice) => JSON.stringify(choice)).join(' | ');
  if (type === 'integer') return 'number';
  if (type === 'array') return items ? `(${typeOf(items)})[]` : 'unknown[]';
  if (type === 'object' || properties) {
    const members = Object.entries(properties ?? {}).map(([name, member]) => `${name}: ${typeOf(member)}`);
    return members.length === 0 ? 'object' : `{ ${members.join('; ')} }`;
  }
  return type === undefined ? 'unknown' : (Array.isArray(type) ? type : [type]).map(String).join(' | ');
}
