import { readChoice } from '../forward/read-choice.ts';
import { documentReader } from '../forward/response-reader.ts';
import { surveyOf } from '../forward/survey.ts';
import type { Original, SentRequest } from '../openai-chat/read-original.ts';
import { Field } from '../request/field.ts';
import { embeddingNotes } from './response-notes.ts';

/**
 * The body of `POST /v1/embeddings` for models whose provider has the same API, read as far as planning and policies need
 * it.
 *
 * @throws PatchbayError `invalid_request` for members of wrong types.
 */
export function readOriginalEmbeddings({ topLevel, json, header }: SentRequest): Original {
  const body = new Field(json);
  const choice = readChoice(body);
  const texts = countTexts(body.member('input'));
  body.member('dimensions').maybe((field) => field.integer({ min: 1 }));
  body.member('encoding_format').maybe((field) => field.text());
  return {
    choice,
    original: {
      dialect: 'openai-embeddings',
      stream: false,
      header,
      bodyFor: (model) => topLevel.with({ model, routing: undefined }),
      createReader: () => documentReader(embeddingNotes()),
      capabilities: ['embeddings'],
      inputTokens: surveyOf(body.object(), ['input']).inputTokens + countTokens(body.member('input').value),
      choices: 1,
      priceFactor: 1,
      texts,
      vendorTools: [],
      storedIds: [],
      reasoning: [],
      isReasoningSigned: false,
      isOurs: false,
    },
  };
}

/** A string, several strings, the tokens of a string, or those of several. */
function countTexts(input: Field): number {
  const items = input.textOrList();
  if (typeof items === 'string') {
    input.name();
    return 1;
  }
  if (items.length === 0) input.fail('invalid_value', 'must not be an empty list');
  for (const item of items) {
    if (typeof item.value !== typeof items[0]?.value)
      item.fail('invalid_type', 'must be of the kind of the first item');
    if (typeof item.value === 'string') item.name();
    else if (Array.isArray(item.value)) for (const token of item.list()) token.integer({ min: 0 });
    else item.integer({ min: 0 });
  }
  return typeof items[0]?.value === 'number' ? 1 : items.length;
}

function countTokens(value: unknown): number {
  if (typeof value === 'number') return 1;
  return Array.isArray(value) ? value.reduce((sum: number, each) => sum + countTokens(each), 0) : 0;
}
