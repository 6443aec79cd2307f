import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type Answer, failedAnswer, waiting } from './answer.ts';

interface Answers {
  /** One for each question to a model, in their order. */
  readonly list: ReadonlySignal<readonly Answer[]>;
  /** Send all questions at once, and follow the answers. Resolves when all have ended, to the last state of each. */
  readonly ask: (questions: readonly ((signal: AbortSignal) => AsyncGenerator<Answer>)[]) => Promise<readonly Answer[]>;
  /** Cancel the answers in progress. */
  readonly stop: () => void;
}

/** Answers that are written side by side. Leaving the screen cancels them. */
export function useAnswers(): Answers {
  const list = useSignal<readonly Answer[]>([]);
  const controller = useRef<AbortController | undefined>(undefined);
  const stop = (): void => controller.current?.abort();
  useEffect(() => stop, []);
  return {
    list,
    stop,
    async ask(questions) {
      stop();
      const round = new AbortController();
      controller.current = round;
      list.value = questions.map(() => waiting);
      const set = (at: number, answer: Answer): void => {
        if (controller.current === round) list.value = list.value.map((each, index) => (index === at ? answer : each));
      };
      await Promise.all(
        questions.map(async (question, at) => {
          try {
            for await (const answer of question(round.signal)) set(at, answer);
          } catch (error) {
            const shown = round.signal.aborted ? new Error('stopped') : error;
            set(at, failedAnswer(list.value[at] ?? waiting, shown));
          }
        }),
      );
      return list.value;
    },
  };
}
