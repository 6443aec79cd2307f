import { fitsGlob, nameKey } from '@patchbay/contracts/base/names';
import type { FunctionSettings } from '@patchbay/contracts/function-settings';

/** A value that a call would use, and its source. */
export interface ExplainedSetting {
  readonly name: keyof FunctionSettings;
  readonly value: NonNullable<FunctionSettings[keyof FunctionSettings]>;
  /** `default`, `config summarize*`, `stored production (version 3)` or `call`. */
  readonly source: string;
}

/** Settings together with where they come from. */
export interface SettingsLayer {
  readonly source: string;
  /** Of stored settings. */
  readonly version?: number;
  readonly values: FunctionSettings;
}

const builtIn: SettingsLayer = { source: 'default', values: { model: 'auto', repairs: 2, cacheSeconds: 0 } };

/** The layers of the config for a function name, in the order of the config: the last one wins. */
export function configLayers(
  byPattern: Readonly<Record<string, FunctionSettings>>,
  functionName: string,
): readonly SettingsLayer[] {
  const key = nameKey(functionName);
  return Object.entries(byPattern)
    .filter(([pattern]) => fitsGlob(pattern, functionName) || fitsGlob(pattern, key))
    .map(([pattern, values]) => ({ source: `config ${pattern}`, values }));
}

/**
 * The settings of a call: for each, the value of the last layer that has it. Layers are not merged within a setting, so
 * that a reader finds all of it in one place.
 */
export function explainSettings(layers: readonly SettingsLayer[]): readonly ExplainedSetting[] {
  const found = new Map<string, ExplainedSetting>();
  for (const { source, values } of [builtIn, ...layers]) {
    for (const [name, value] of Object.entries(values)) {
      if (value !== undefined) found.set(name, { name: name as keyof FunctionSettings, value, source });
    }
  }
  return [...found.values()];
}

export function effectiveSettings(layers: readonly SettingsLayer[]): FunctionSettings {
  if (layers.length === 0) return builtIn.values;
  return Object.fromEntries(explainSettings(layers).map(({ name, value }) => [name, value])) as FunctionSettings;
}
