import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Message } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { type Answer, notAsked } from './answer.ts';
import { askInChat } from './ask-models.ts';
import { bodyOf, type ChatOptions } from './chat-options.tsx';
import { isCalling, messagesOf, type Turn } from './turn.ts';
import { useAnswers } from './use-answers.ts';

interface Conversation {
  readonly turns: readonly Turn[];
  readonly isBusy: boolean;
  /** Whether a message would be sent: otherwise the reason is shown, and nothing happens. */
  readonly send: (content: Turn['content']) => boolean;
  readonly writeResult: (key: string, text: string) => void;
  readonly stop: () => void;
  /** Begin a new one; answers in progress are cancelled. */
  readonly clear: () => void;
}

/** A conversation with several models, each of which goes on with its own answers. */
export function useConversation(models: readonly string[], options: ChatOptions): Conversation {
  const { api, notices } = useConsole();
  const past = useSignal<readonly Turn[]>([]);
  const current = useSignal<Pick<Turn, 'content'> | undefined>(undefined);
  const round = useRef(0);
  const answers = useAnswers();
  const ask = async (body: ReturnType<typeof bodyOf>, content: Turn['content']): Promise<void> => {
    const before = past.value;
    const mine = round.current;
    const { system } = options;
    const first: readonly Message[] = system === '' ? [] : [{ role: 'system', content: system }];
    const asked: readonly Message[] = content === undefined ? [] : [{ role: 'user', content }];
    const turn = content === undefined ? {} : { content };
    current.value = turn;
    const ended = await answers.ask(
      models.map((model, column) => (signal) => {
        const last = before.at(-1)?.answers[column];
        if (content === undefined && !(last && isCalling(last))) return once(notAsked);
        const messages = [...first, ...before.flatMap((each) => messagesOf(each, column)), ...asked];
        return askInChat(api, { ...body, messages, ...(model !== '' && { model }) }, signal);
      }),
    );
    // Another conversation has begun meanwhile.
    if (round.current !== mine) return;
    past.value = [...before, { ...turn, answers: ended, results: {} }];
    current.value = undefined;
  };
  return {
    turns: current.value ? [...past.value, { ...current.value, answers: answers.list.value, results: {} }] : past.value,
    isBusy: current.value !== undefined,
    stop: answers.stop,
    send(content) {
      try {
        const body = bodyOf(options);
        void ask(body, content);
        return true;
      } catch (error) {
        notices.show(error instanceof Error ? error.message : String(error), 'failed');
        return false;
      }
    },
    writeResult(key, text) {
      past.value = past.value.map((turn, at) =>
        at === past.value.length - 1 ? { ...turn, results: { ...turn.results, [key]: text } } : turn,
      );
    },
    clear() {
      round.current += 1;
      answers.stop();
      past.value = [];
      current.value = undefined;
    },
  };
}

// A generator like those of models, which have to wait.
async function* once(answer: Answer): AsyncGenerator<Answer> {
  yield await Promise.resolve(answer);
}
