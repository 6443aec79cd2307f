import { join } from 'node:path';
import { readLlmRouter } from './llm-router.ts';
import { readParetoBandit } from './pareto-bandit.ts';
import type { ResponseMatrix } from './response-matrix.ts';
import { readRouteLlm } from './route-llm.ts';
import { readRouterArena } from './router-arena.ts';

/** Public research data, by the name of its repository. */
export const matrices: Readonly<Record<string, (folder: string) => ResponseMatrix>> = {
  LLMRouter: readLlmRouter,
  ParetoBandit: readParetoBandit,
  RouteLLM: readRouteLlm,
  RouterArena: readRouterArena,
};

/** @param folder Has checkouts of one or more repositories, by their names. */
export function readMatrix(name: string, folder: string): ResponseMatrix {
  const read = matrices[name];
  if (!read) throw new Error(`matrices: ${Object.keys(matrices).join(', ')}`);
  return read(join(folder, name));
}
