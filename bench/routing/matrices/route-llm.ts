import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { pricedResponse, type RecordedQuestion, type ResponseMatrix, tasksOf, tokensOf } from './response-matrix.ts';

/** Prices of the time: of OpenAI, and of the list of LLMRouter. */
const models = [
  { id: 'mistralai/Mixtral-8x7B-Instruct-v0.1', pricing: { input: 0.6, output: 0.6 } },
  { id: 'gpt-4-1106-preview', pricing: { input: 10, output: 30 } },
] as const;

/** For questions with choices, only the letter was requested. */
const LETTER_TOKENS = 5;

/**
 * A cheap and an expensive model on MMLU, each subject a function, and on GSM8K (Apache-2.0).
 *
 * @param folder A checkout of https://github.com/lm-sys/RouteLLM
 */
export function readRouteLlm(folder: string): ResponseMatrix {
  const evaluations = join(folder, 'routellm', 'evals');
  const subjects = join(evaluations, 'mmlu', 'responses');
  const files = [
    ...readdirSync(subjects).map((file) => join(subjects, file)),
    join(evaluations, 'gsm8k', 'gsm8k_responses.csv'),
  ];
  const questions = files.flatMap((file) => {
    const rows = parse(readFileSync(file, 'utf8'), { columns: true, bom: true }) as Record<string, string>[];
    const task = file.slice(file.lastIndexOf('/') + 1, -'.csv'.length);
    return rows.map((row): readonly [string, RecordedQuestion] => [task, questionOf(row)]);
  });
  return { name: 'route-llm', models, tasks: tasksOf(questions) };
}

function questionOf(row: Readonly<Record<string, string>>): RecordedQuestion {
  const inputTokens = tokensOf(row['prompt'] ?? '');
  const responses = models.map((model) => {
    const text = row[`${model.id}_response`];
    const outputTokens = text === undefined ? LETTER_TOKENS : tokensOf(text);
    return pricedResponse(model, { score: Number(row[model.id] === 'True'), inputTokens, outputTokens });
  });
  return { inputTokens, responses };
}
