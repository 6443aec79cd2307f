import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { useLoad } from '../frame/use-load.ts';

/** One of the things that a list can be narrowed to. */
export interface Choice {
  readonly id: string;
  readonly name: string;
}

/** Narrows a list to one of many things: suggests those with the typed words in their name. */
export function SearchFilter(props: {
  readonly label: string;
  /** The option for none of them. Default: `all`. */
  readonly all?: string;
  readonly chosen: Choice | undefined;
  readonly find: (words: string, signal: AbortSignal) => Promise<readonly Choice[]>;
  readonly onChoose: (choice: Choice | undefined) => void;
}) {
  const { label, all = 'all', chosen, find, onChoose } = props;
  const words = useSignal('');
  // Other filters may change while words are looked up.
  const latest = useRef(onChoose);
  latest.current = onChoose;
  const id = useId();
  const { data: found = [] } = useLoad((signal) => find(words.value, signal), [words.value]);
  const titles = titlesOf(found);
  /** Suggestions may still be those for fewer letters: submitted words are looked up on their own. */
  const enter = async (entered: string): Promise<void> => {
    const { signal } = new AbortController();
    const [only, ...others] = await find(entered, signal).catch(() => found);
    if (entered === words.value && only && others.length === 0) latest.current(only);
  };
  return (
    <>
      <input
        key={chosen?.id ?? ''}
        type="search"
        aria-label={label}
        placeholder={`${label}: ${all}`}
        list={`${id}-found`}
        autocomplete="off"
        defaultValue={chosen?.name ?? ''}
        onInput={({ currentTarget: { value } }) => {
          // Choosing a suggestion is an input event as well.
          const choice = titles.get(value);
          if (choice || value === '') onChoose(choice);
          else words.value = value;
        }}
        onChange={({ currentTarget: { value } }) => {
          if (value !== '' && value === words.value) void enter(value);
        }}
      />
      <datalist id={`${id}-found`}>
        {[...titles.keys()].map((title) => (
          <option key={title} value={title} />
        ))}
      </datalist>
    </>
  );
}

/** Each with a title of its own: two may have the same name. */
function titlesOf(found: readonly Choice[]): ReadonlyMap<string, Choice> {
  const titles = new Map<string, Choice>();
  for (const choice of found) titles.set(titles.has(choice.name) ? `${choice.name} ${choice.id}` : choice.name, choice);
  return titles;
}
