import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useConsole } from './console-context.ts';

/** An entry of the command palette. */
export interface Command {
  readonly title: string;
  /** Keys that run it, such as `g f` for one after another. */
  readonly keys?: string;
  readonly run: () => void;
}

export interface Commands {
  readonly list: ReadonlySignal<readonly Command[]>;
  /** Add commands; the result removes them again. */
  readonly add: (commands: readonly Command[]) => () => void;
}

export function createCommands(): Commands {
  const list = signal<readonly Command[]>([]);
  return {
    list,
    add(commands) {
      list.value = [...list.value, ...commands];
      return () => {
        list.value = list.value.filter((command) => !commands.includes(command));
      };
    },
  };
}

/** Offer commands in the palette while the component is shown. `on`: what the commands depend on. */
export function useCommands(commands: readonly Command[], on: readonly unknown[] = []): void {
  const { commands: all } = useConsole();
  useEffect(() => all.add(commands), on);
}

/** Run commands by their keys, unless the person is typing. */
export function listenForKeys(commands: Commands): void {
  let before = '';
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    const typed = before === '' ? event.key : `${before} ${event.key}`;
    const all = commands.list.value;
    const found = all.find(({ keys }) => keys === typed) ?? all.find(({ keys }) => keys === event.key);
    before = all.some(({ keys = '' }) => keys.startsWith(`${event.key} `)) ? event.key : '';
    if (!found) return;
    before = '';
    event.preventDefault();
    found.run();
  });
}

function isTyping(event: Event): boolean {
  const [target] = event.composedPath();
  if (document.querySelector('dialog[open]')) return true;
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
