import { createChance, shuffled } from './chance.ts';
import type { RecordedModel, RecordedQuestion, ResponseMatrix } from './matrices/response-matrix.ts';
import type { Expected, World } from './world.ts';

/** Latency is not recorded: every response is assumed to take this long, in one piece. */
const responseMs = 1_000;

/** Recorded responses of every model to every question. Each dataset is a function; the seed shuffles its questions. */
export function createRecordedWorld({ models, tasks }: ResponseMatrix, seed: number, costWeight: number): World {
  const expectations = tasks.map(({ questions }) => expectationsOf(questions, models, costWeight));
  const qualities = models.map((_, place) => sumOf(expectations, (each) => (each[place] as Expected).quality));
  const orders = tasks.map(({ questions }, task) => shuffledAgain(questions, seed * 1_009 + task));
  const questionOf = ({ task, turn }: { readonly task: number; readonly turn: number }): RecordedQuestion =>
    (orders[task] as (typeof orders)[number])(turn);
  return {
    models: models.map(({ id, pricing }) => ({
      id,
      info: { name: id, vendor: id.split('/')[0] as string, capabilities: ['chat'], pricing },
      pretends: false,
      arrivesAt: 0,
    })),
    functions: tasks.length,
    bestSingle: qualities.indexOf(Math.max(...qualities)),
    isOut: () => false,
    inputTokens: (question) => questionOf(question).inputTokens,
    expected: (task, model) => expectations[task]?.[model] as Expected,
    respond(question, model) {
      const { score, outputTokens } = questionOf(question).responses[model] as RecordedQuestion['responses'][number];
      return { fit: 'fitted', score, outputTokens, firstTokenMs: responseMs, totalMs: responseMs };
    },
  };
}

/** Exact: every model has answered every question. */
function expectationsOf(
  questions: readonly RecordedQuestion[],
  models: readonly RecordedModel[],
  costWeight: number,
): readonly Expected[] {
  const means = models.map((_, place) => {
    const mean = (of: 'score' | 'costUsd'): number =>
      sumOf(questions, ({ responses }) => (responses[place] as RecordedQuestion['responses'][number])[of]) /
      questions.length;
    return { quality: mean('score'), costUsd: mean('costUsd') };
  });
  const dearest = Math.max(...means.map(({ costUsd }) => costUsd));
  return means.map(({ quality, costUsd }) => ({
    quality,
    costUsd,
    utility: quality - (costWeight * costUsd) / dearest,
  }));
}

const sumOf = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0);

/** The items by turn: all of them in some order, then all of them in another. */
function shuffledAgain<T>(items: readonly T[], seed: number): (turn: number) => T {
  const chance = createChance(seed);
  let order = items;
  let round = -1;
  return (turn) => {
    for (; round < Math.floor(turn / items.length); round += 1) order = shuffled(order, chance);
    return order[turn % items.length] as T;
  };
}
