const MOST = 4;

interface ModelPickerProps {
  readonly models: readonly string[];
  readonly onModels: (models: readonly string[]) => void;
  /** Those that can be chosen. */
  readonly ids: readonly string[];
  /** Title of the choice without a model. */
  readonly standard: string;
}

/** One to four models, to be called side by side. */
export function ModelPicker({ models, onModels, ids, standard }: ModelPickerProps) {
  return (
    <div class="model-picker" role="group" aria-label="Models">
      {models.map((model, at) => (
        <span key={at}>
          <select
            aria-label={`Model ${at + 1}`}
            value={model}
            onChange={(event) => {
              const { value } = event.currentTarget;
              onModels(models.map((each, index) => (index === at ? value : each)));
            }}
          >
            <option value="">{standard}</option>
            {ids.map((id) => (
              <option key={id} value={id} selected={id === model}>
                {id}
              </option>
            ))}
          </select>
          {models.length > 1 && (
            <button
              type="button"
              class="plain"
              aria-label={`Remove model ${at + 1}`}
              onClick={() => onModels(models.filter((_, index) => index !== at))}
            >
              ×
            </button>
          )}
        </span>
      ))}
      {models.length < MOST && (
        <button type="button" onClick={() => onModels([...models, ''])}>
          Add a model
        </button>
      )}
    </div>
  );
}
