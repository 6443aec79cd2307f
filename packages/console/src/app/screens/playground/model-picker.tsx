import { useConsole } from '../../frame/console-context.ts';
import { useLoad } from '../../frame/use-load.ts';

const MOST = 4;

interface ModelPickerProps {
  readonly models: readonly string[];
  readonly onModels: (models: readonly string[]) => void;
  /** Title of the choice without a model. */
  readonly standard: string;
}

/** One to four models, to be asked side by side. */
export function ModelPicker({ models, onModels, standard }: ModelPickerProps) {
  const { api } = useConsole();
  const { data } = useLoad((signal) => api.call('listModels', { signal }));
  const ids = (data?.data ?? []).filter(({ capabilities }) => capabilities.includes('chat')).map(({ id }) => id);
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
