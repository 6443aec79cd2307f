import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Command } from './commands.ts';
import { useCommands } from './commands.ts';
import { useConsole } from './console-context.ts';

const SHOWN = 12;

/** Everything that can be done here, by a few letters of its name. */
export function CommandPalette() {
  const { commands } = useConsole();
  const dialog = useRef<HTMLDialogElement>(null);
  const text = useSignal('');
  const at = useSignal(0);
  const open = (): void => {
    text.value = '';
    at.value = 0;
    if (!dialog.current?.open) dialog.current?.showModal();
  };
  useCommands([{ title: 'Search', keys: 'k', run: open }]);
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  const found = commands.list.value.filter((command) => command.keys !== 'k' && fits(command.title, text.value));
  const shown = found.slice(0, SHOWN);
  const run = (command: Command | undefined): void => {
    if (!command) return;
    dialog.current?.close();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') run(shown[at.value]);
    if (step !== undefined) at.value = (at.value + step + shown.length) % Math.max(1, shown.length);
    if (step !== undefined || event.key === 'Enter') event.preventDefault();
  };
  return (
    <dialog class="palette" ref={dialog} aria-label="Commands">
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls="commands"
        aria-label="Command"
        aria-activedescendant={shown.length > 0 ? `command-${at.value}` : undefined}
        autocomplete="off"
        placeholder="Type a command …"
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <div id="commands" role="listbox" aria-label="Commands">
        {shown.map((command, index) => (
          <div
            key={command.title}
            id={`command-${index}`}
            role="option"
            aria-selected={index === at.value}
            onClick={() => run(command)}
          >
            <span>{command.title}</span>
            {command.keys !== undefined && <kbd>{command.keys}</kbd>}
          </div>
        ))}
      </div>
      {shown.length === 0 && <p class="quiet">No command has this name.</p>}
    </dialog>
  );
}

/** Whether the letters occur in this order. */
function fits(title: string, letters: string): boolean {
  let from = 0;
  const text = title.toLowerCase();
  for (const letter of letters.toLowerCase().replaceAll(' ', '')) {
    from = text.indexOf(letter, from) + 1;
    if (from === 0) return false;
  }
  return true;
}
