import { join } from 'node:path';
import { readJson, readLines } from './read-lines.ts';
import { pricedResponse, type RecordedQuestion, type ResponseMatrix, tasksOf, tokensOf } from './response-matrix.ts';

interface Scored {
  readonly question: string;
  readonly scores: Readonly<Record<string, number>>;
}

/** Responses are not published, only their scores: each is assumed to have this many tokens. */
const OUTPUT_TOKENS = 150;

/**
 * Nine small and middle-sized models on 6,108 questions of 14 datasets, with the prices of its list (MIT).
 *
 * @param folder A checkout of https://github.com/ulab-uiuc/LLMRouter
 */
export function readLlmRouter(folder: string): ResponseMatrix {
  const at = (...path: string[]): string => join(folder, 'data', ...path);
  const listed = readJson<Record<string, { input_price: number; output_price: number; model: string }>>(
    at('example_data', 'llm_candidates', 'default_llm.json'),
  );
  const parts = ['train', 'test'];
  const scored = parts.flatMap((part) => readJson<readonly Scored[]>(at('dcrouter_preprocessed', `${part}.json`)));
  const datasets = new Map(
    parts
      .flatMap((part) =>
        readLines<{ query: string; task_name: string }>(
          at('example_data', 'query_data', `default_query_${part}.jsonl`),
        ),
      )
      .map(({ query, task_name }) => [query, task_name]),
  );
  const names = Object.keys(scored[0]?.scores ?? {}).sort();
  const models = names.map((name) => {
    const { model, input_price: input, output_price: output } = listed[name] as (typeof listed)[string];
    return { name, id: model, pricing: { input, output } };
  });
  const questions = scored.map(({ question, scores }): readonly [string, RecordedQuestion] => {
    const inputTokens = tokensOf(question);
    const responses = models.map((model) =>
      pricedResponse(model, { score: scores[model.name] ?? 0, inputTokens, outputTokens: OUTPUT_TOKENS }),
    );
    return [datasets.get(question) ?? 'unknown', { inputTokens, responses }];
  });
  return { name: 'llm-router', models, tasks: tasksOf(questions) };
}
