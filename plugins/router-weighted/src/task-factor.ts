import type { TaskFit } from '@patchbay/core/plugin';

/** Answers that a model is credited with beforehand, and how many of them fit: one bad answer is not held against it. */
const PRIOR_ANSWERS = 20;
const PRIOR_SHARE = 0.95;

/** An answer that took two questions is worth half of one. Mended JSON costs nothing. */
const ASKED_AGAIN_SHARE = 0.5;

/**
 * What is left of a model's quality at a task that it does not do well, 0 to 1: the mean of a beta distribution over its
 * answers, in relation to what is expected of every model. Never above 1: an answer that fits is not a good one yet.
 */
export function taskFactor(fit: TaskFit | undefined): number {
  if (!fit) return 1;
  const { asked, askedAgain, failed } = fit;
  const fitting = asked - failed - askedAgain * (1 - ASKED_AGAIN_SHARE);
  const share = (PRIOR_ANSWERS * PRIOR_SHARE + fitting) / (PRIOR_ANSWERS + asked);
  return Math.min(1, Math.max(0, share / PRIOR_SHARE));
}
