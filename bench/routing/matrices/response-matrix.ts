/** The responses of every model to every question of some datasets, from public research data. */
export interface ResponseMatrix {
  readonly name: string;
  readonly models: readonly RecordedModel[];
  readonly tasks: readonly { readonly name: string; readonly questions: readonly RecordedQuestion[] }[];
}

export interface RecordedModel {
  readonly id: string;
  /** USD for 1,000,000 tokens. */
  readonly pricing: { readonly input: number; readonly output: number };
}

export interface RecordedQuestion {
  readonly inputTokens: number;
  /** In the order of the models. */
  readonly responses: readonly RecordedResponse[];
}

export interface RecordedResponse {
  /** 0 to 1. */
  readonly score: number;
  readonly costUsd: number;
  readonly outputTokens: number;
}

/** An estimate for English. */
export const tokensOf = (text: string): number => Math.ceil(text.length / 4);

export function pricedResponse(
  { pricing: { input, output } }: RecordedModel,
  { score, inputTokens, outputTokens }: { score: number; inputTokens: number; outputTokens: number },
): RecordedResponse {
  return { score, outputTokens, costUsd: (input * inputTokens + output * outputTokens) / 1e6 };
}

/** Functions with fewer questions show nothing: their datasets are left out. */
const LEAST_QUESTIONS = 50;

export function tasksOf(
  questions: Iterable<readonly [task: string, question: RecordedQuestion]>,
  least = LEAST_QUESTIONS,
): ResponseMatrix['tasks'] {
  const tasks = new Map<string, RecordedQuestion[]>();
  for (const [task, question] of questions) tasks.set(task, [...(tasks.get(task) ?? []), question]);
  return [...tasks].filter(([, asked]) => asked.length >= least).map(([name, asked]) => ({ name, questions: asked }));
}
