import { fieldsOf, listOf, readTokenCount, textOf } from '@patchbay/core/provider';
import { badResponse, noOutcome, type ResponseNotes } from '../forward/response-reader.ts';

/** The facts of a response with vectors. The vectors themselves are not read. */
export function embeddingNotes(): ResponseNotes {
  const found = noOutcome();
  let isComplete = false;
  return {
    found,
    hasOutput: false,
    get isComplete() {
      return isComplete;
    },
    read(document) {
      isComplete = (listOf(document['data'])?.length ?? 0) > 0;
      found.model = textOf(document['model']);
      const tokens = readTokenCount(fieldsOf(document['usage'])?.['prompt_tokens'], badResponse);
      if (tokens === undefined) return;
      found.usage = {
        uncachedInputTokens: tokens,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        outputTokens: 0,
        reasoningTokens: 0,
      };
    },
  };
}
