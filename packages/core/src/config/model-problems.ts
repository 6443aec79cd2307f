import { didYouMean } from '../base/names.ts';
import type { AppConfig } from './app-config.ts';
import { type ConfigPath, isPlainObject } from './config-path.ts';
import type { ConfigProblem } from './config-problem.ts';

/** Model ids whose provider is missing or not mounted: each request to such a model would fail. */
export function modelProblems(config: AppConfig): readonly ConfigProblem[] {
  const providers = Object.keys(membersOf(config.providers));
  return modelReferences(config).flatMap(([path, id]) => {
    if (typeof id !== 'string' || id === '' || id === 'auto') return [];
    const slash = id.indexOf('/');
    if (slash <= 0 || slash === id.length - 1) {
      return [{ path, code: 'invalid_model', message: 'must be a model id, <provider>/<model>' }];
    }
    const provider = id.slice(0, slash);
    if (providers.includes(provider)) return [];
    const message = `belongs to a provider that is not mounted under "providers"${didYouMean(provider, providers)}`;
    return [{ path, code: 'provider_not_found', message }];
  });
}

function modelReferences({ gateway, functions }: AppConfig): readonly (readonly [ConfigPath, unknown])[] {
  const known = Object.keys(membersOf(membersOf(gateway)['models']));
  const settings = Object.entries(membersOf(membersOf(functions)['settings']));
  return [
    ...known.map((id) => [['gateway', 'models', id], id] as const),
    ...settings.flatMap(([name, of]) => {
      const path = ['functions', 'settings', name] as const;
      const { model, routing } = membersOf(of);
      const { fallbacks } = membersOf(routing);
      const others = Array.isArray(fallbacks) ? fallbacks : [];
      return [
        [[...path, 'model'], model] as const,
        ...others.map((id: unknown, index) => [[...path, 'routing', 'fallbacks', index], id] as const),
      ];
    }),
  ];
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isPlainObject(value) ? (value as Readonly<Record<string, unknown>>) : {};
}
