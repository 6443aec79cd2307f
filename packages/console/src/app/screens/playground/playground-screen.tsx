import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { Tabs } from '../../parts/tabs.tsx';
import { ChatPlayground } from './chat-playground.tsx';
import { FunctionPlayground } from './function-playground.tsx';

/** One question to up to four models at once: a conversation, or a function that models answer. */
export default function PlaygroundScreen({ path, query }: ScreenProps) {
  const { api } = useConsole();
  const isFunction = path[0] === 'function';
  const modes = [
    { title: 'Chat', href: linkTo(['playground']), current: !isFunction },
    { title: 'Function', href: linkTo(['playground', 'function']), current: isFunction },
  ];
  const head = <Tabs label="Modes" tabs={api.may('callFunctionByName') ? modes : modes.slice(0, 1)} />;
  return isFunction ? <FunctionPlayground head={head} name={query['name'] ?? ''} /> : <ChatPlayground head={head} />;
}
