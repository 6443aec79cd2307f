import type { Message } from '../contracts/message.ts';
import { foreignReasoning } from '../provider-kit/message-content.ts';
import type { CatalogModel } from './model-catalog.ts';

/** Warnings about the reasoning that a model does not receive, because it is not of its provider. */
export function leftOutReasoning(messages: readonly Message[], { id, provider }: CatalogModel): readonly string[] {
  const authors = new Set(foreignReasoning(messages, provider).map(({ by }) => by));
  return [...authors].map((by) =>
    by === undefined
      ? 'reasoning that does not say which model it is from is sent to no model'
      : `the reasoning of ${by} was not sent to ${id}`,
  );
}
