import { useRef } from 'preact/hooks';
import { useCommands } from '../frame/commands.ts';

/** Filters a list as the person types. `/` focuses it. */
export function SearchBox(props: {
  readonly label: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
}) {
  const { label, value, onSearch } = props;
  const input = useRef<HTMLInputElement>(null);
  useCommands([{ title: label, keys: '/', run: () => input.current?.focus() }]);
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      ref={input}
      defaultValue={value}
      onInput={(event) => onSearch(event.currentTarget.value)}
    />
  );
}
