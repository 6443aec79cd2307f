import { fieldsOf, type JsonFields, listOf } from '@patchbay/core/provider';
import { MAX_MESSAGES } from '../request/field.ts';

/** An item that a request names by its id instead of sending it, or sends without some of its returned members. */
export interface NamedItem {
  readonly type: 'item_reference' | 'reasoning' | 'image_generation_call';
  readonly id: string;
  /** JSON Pointer of the id. */
  readonly pointer: string;
}

export function namedItems(body: unknown): readonly NamedItem[] {
  const input = listOf(fieldsOf(body)?.['input']) ?? [];
  if (input.length > MAX_MESSAGES) return [];
  return input.flatMap((value, index) => {
    const item = fieldsOf(value) ?? {};
    const type = kindOf(item);
    const { id } = item;
    return type === undefined || typeof id !== 'string' ? [] : [{ type, id, pointer: `/input/${index}/id` }];
  });
}

/** The ids of the items that a request names. */
export function referencedIds(body: unknown): readonly string[] {
  return namedItems(body).map(({ id }) => id);
}

/** Whether an item stands for another one. OpenAI accepts references without a type, and messages as well. */
export function isReference({ type, role }: JsonFields): boolean {
  return type === 'item_reference' || ((type ?? null) === null && role === undefined);
}

function kindOf(item: JsonFields): NamedItem['type'] | undefined {
  const { type, encrypted_content: proof, result } = item;
  if (isReference(item)) return 'item_reference';
  if (type === 'reasoning' && !proof) return type;
  return type === 'image_generation_call' && !result ? type : undefined;
}
