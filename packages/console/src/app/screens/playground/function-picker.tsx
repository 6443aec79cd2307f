import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { useConsole } from '../../frame/console-context.ts';
import { useLoad } from '../../frame/use-load.ts';
import { findFunctions } from '../../parts/find-functions.ts';

/** A field for the name of a function, which suggests those that contain the typed words. */
export function FunctionPicker(props: { readonly name: string; readonly onName: (name: string) => void }) {
  const { name, onName } = props;
  const { api } = useConsole();
  const words = useSignal('');
  const id = useId();
  const { data } = useLoad((signal) => findFunctions(api, words.value, undefined, signal), [words.value]);
  const names = [...new Set(data?.data.map((each) => each.name))];
  return (
    <div class="field">
      <label for={id}>Function</label>
      <input
        key={name}
        id={id}
        type="search"
        list={`${id}-names`}
        autocomplete="off"
        defaultValue={name}
        onInput={({ currentTarget: { value } }) => {
          // Choosing a suggestion is an input event as well.
          if (names.includes(value)) onName(value);
          else words.value = value;
        }}
        onChange={({ currentTarget: { value } }) => {
          if (value !== '') onName(value);
        }}
      />
      <datalist id={`${id}-names`}>
        {names.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </div>
  );
}
