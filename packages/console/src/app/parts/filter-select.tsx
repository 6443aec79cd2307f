/** Narrows a list to one value, or shows all. */
export function FilterSelect(props: {
  readonly label: string;
  readonly value: string;
  /** The option for none of them. Default: `all`. */
  readonly all?: string;
  readonly options: readonly { readonly value: string; readonly title: string }[];
  readonly onChoose: (value: string) => void;
}) {
  const { label, value, all = 'all', options, onChoose } = props;
  return (
    <select aria-label={label} onChange={(event) => onChoose(event.currentTarget.value)}>
      <option value="" selected={value === ''}>
        {label}: {all}
      </option>
      {options.map((option) => (
        <option key={option.value} value={option.value} selected={option.value === value}>
          {option.title}
        </option>
      ))}
    </select>
  );
}
