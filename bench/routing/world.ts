import type { ModelInfo } from '@patchbay/core/provider';
import type { Chance } from './chance.ts';

/** Models that policies choose from, with all that a policy cannot see: simulated, or recorded. */
export interface World {
  readonly models: readonly WorldModel[];
  readonly functions: number;
  /** The model with the highest mean quality over all functions at the start. */
  readonly bestSingle: number;
  /** The model that events happen to. */
  readonly struck?: number;
  isOut(model: number, progress: number): boolean;
  /** Tokens of the prompt of a call. */
  inputTokens(question: Question): number;
  expected(task: number, model: number, progress: number): Expected;
  respond(question: Question, model: number, chance: Chance): Response;
}

export interface WorldModel {
  readonly id: string;
  readonly info: ModelInfo;
  /** Always valid, always wrong. */
  readonly pretends: boolean;
  /** Share of the run after which it exists. */
  readonly arrivesAt: number;
}

/** The request of one call. */
export interface Question {
  readonly task: number;
  /** Calls of the task before. */
  readonly turn: number;
  /** Share of the run that is over, 0 to 1. */
  readonly progress: number;
}

export type Fit = 'fitted' | 'asked-again' | 'failed';

/** The response to one call. */
export interface Response {
  readonly fit: Fit;
  /** 0 to 1, of a response that fits. */
  readonly score: number;
  readonly firstTokenMs: number;
  readonly totalMs: number;
  readonly outputTokens: number;
}

/** Expectations of one call of one model. */
export interface Expected {
  /** With invalid responses as zero. */
  readonly quality: number;
  readonly costUsd: number;
  readonly utility: number;
}
