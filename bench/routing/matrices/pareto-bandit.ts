import { join } from 'node:path';
import { readJson, readLines } from './read-lines.ts';
import { type RecordedQuestion, type ResponseMatrix, tasksOf, tokensOf } from './response-matrix.ts';

interface Judged {
  readonly prompt: string;
  readonly source: string;
  readonly arms: Readonly<Record<string, { readonly reward: number; readonly cost: number }>>;
}

interface Listed {
  readonly model_id: string;
  readonly input_cost_per_m: number;
  readonly output_cost_per_m: number;
}

/**
 * Four models of very different prices on 3,559 questions of 31 datasets, judged from 0 to 1, with the cost of each response (Apache-2.0).
 *
 * @param folder A checkout of https://github.com/ParetoBandit/ParetoBandit
 */
export function readParetoBandit(folder: string): ResponseMatrix {
  const at = (...path: string[]): string => join(folder, 'data_collection', ...path);
  const listed = readJson<{ models: readonly Listed[] }>(at('config', 'models_k4.json')).models;
  const models = listed.map(({ model_id: id, input_cost_per_m: input, output_cost_per_m: output }) => ({
    id,
    pricing: { input, output },
  }));
  const judged = ['val', 'test'].flatMap((part) => readLines<Judged>(at('rewards', `${part}_k4.jsonl`)));
  const questions = judged.map(({ prompt, source, arms }): readonly [string, RecordedQuestion] => {
    const inputTokens = tokensOf(prompt);
    const responses = models.map(({ id, pricing }) => {
      const { reward: score, cost: costUsd } = arms[id] as Judged['arms'][string];
      const outputTokens = Math.max(1, Math.round((costUsd * 1e6 - pricing.input * inputTokens) / pricing.output));
      return { score, costUsd, outputTokens };
    });
    return [source, { inputTokens, responses }];
  });
  return { name: 'pareto-bandit', models, tasks: tasksOf(questions) };
}
