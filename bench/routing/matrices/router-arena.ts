import { join } from 'node:path';
import { readJson, readLines } from './read-lines.ts';
import { pricedResponse, type RecordedQuestion, type ResponseMatrix, tasksOf, tokensOf } from './response-matrix.ts';

interface Evaluated {
  readonly global_index: string;
  readonly question: string;
  readonly token_usage: { readonly input_tokens: number; readonly output_tokens: number };
  readonly evaluation_result: { readonly score: number };
}

interface Price {
  readonly input_token_price_per_million: number;
  readonly output_token_price_per_million: number;
}

const names = ['claude-3-haiku-20240307', 'gemini-2.0-flash-001'];

/**
 * Two models on 809 questions, with tokens as they were used. For reports only: it must not influence any choice.
 *
 * @param folder A checkout of https://github.com/RouteWorks/RouterArena
 */
export function readRouterArena(folder: string): ResponseMatrix {
  const prices = readJson<Record<string, Price>>(join(folder, 'model_cost', 'cost.json'));
  const models = names.map((id) => {
    const { input_token_price_per_million: input, output_token_price_per_million: output } = prices[id] as Price;
    return { id, pricing: { input, output } };
  });
  const [first = new Map<string, Evaluated>(), ...others] = names.map((name) => {
    const rows = readLines<Evaluated>(join(folder, 'cached_results', `${name}.jsonl`));
    return new Map(rows.map((row) => [row.global_index, row]));
  });
  const questions = [...first].map(([index, row]): readonly [string, RecordedQuestion] => {
    const rows = [row, ...others.map((each) => each.get(index) as Evaluated)];
    const responses = rows.map(({ token_usage: usage, evaluation_result: { score } }, place) =>
      pricedResponse(models[place] as (typeof models)[number], {
        score,
        inputTokens: usage.input_tokens,
        outputTokens: usage.output_tokens,
      }),
    );
    return [datasetOf(index), { inputTokens: tokensOf(row.question), responses }];
  });
  return { name: 'router-arena', models, tasks: tasksOf(questions) };
}

/** Of `MMLUPro_computer science_12`, `MMLUPro`. */
const datasetOf = (index: string): string => index.split('_')[0] as string;
