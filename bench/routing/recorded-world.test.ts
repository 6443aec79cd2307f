import { describe, expect, it } from 'vitest';
import { createChance } from './chance.ts';
import { pricedResponse, type ResponseMatrix, tasksOf } from './matrices/response-matrix.ts';
import { createRecordedWorld } from './recorded-world.ts';

const models = [
  { id: 'acme/cheap', pricing: { input: 1, output: 1 } },
  { id: 'acme/dear', pricing: { input: 10, output: 10 } },
];

/** Of its ten questions the dear model gets all right, and the cheap one as many as it says. */
function dataset(name: string, right: number): ResponseMatrix['tasks'][number] {
  const questions = Array.from({ length: 10 }, (_, index) => {
    const responses = models.map((model, place) =>
      pricedResponse(model, {
        score: Number(place === 1 || index < right),
        inputTokens: 400 + index,
        outputTokens: 100,
      }),
    );
    return [name, { inputTokens: 400 + index, responses }] as const;
  });
  return tasksOf(questions, 10)[0] as ResponseMatrix['tasks'][number];
}

const matrix = { name: 'made up', models, tasks: [dataset('easy', 9), dataset('hard', 4)] };
const world = createRecordedWorld(matrix, 1, 0.1);
const ask = (task: number, turn: number) => ({ task, turn, progress: 0 });

describe('a recorded world', () => {
  it('knows the quality and the cost of each model at each function exactly', () => {
    expect(world.expected(0, 0, 0).quality).toBeCloseTo(0.9);
    expect(world.expected(1, 0, 0).quality).toBeCloseTo(0.4);
    expect(world.expected(1, 1, 0).costUsd).toBeCloseTo(0.005045);
    expect(world.expected(1, 1, 0).utility).toBeCloseTo(0.9);
    expect(world.bestSingle).toBe(1);
  });

  it('asks every question once in each round, in an order of the seed', () => {
    const asked = (from: number, of = world) =>
      Array.from({ length: 10 }, (_, turn) => of.inputTokens(ask(1, from + turn)));
    const first = asked(0);
    expect(new Set(first).size).toBe(10);
    expect(new Set(asked(10))).toEqual(new Set(first));
    expect(asked(20)).not.toEqual(first);
    expect(asked(0, createRecordedWorld(matrix, 1, 0.1))).toEqual(first);
    expect(asked(0, createRecordedWorld(matrix, 2, 0.1))).not.toEqual(first);
  });

  it('repeats the recorded response', () => {
    const right = Array.from({ length: 10 }, (_, turn) => world.respond(ask(1, 30 + turn), 0, createChance(1)).score);
    expect(right.reduce((sum, score) => sum + score)).toBe(4);
  });
});
