/** How the function is run: with a model and a version of its settings, or with its current ones. */
export interface Variant {
  readonly model?: string;
  readonly settingsVersion?: number;
}

/** The name of a variant in reports. */
export function variantName({ model, settingsVersion }: Variant): string {
  const parts = [model, settingsVersion === undefined ? undefined : `version ${settingsVersion}`];
  return parts.filter((part) => part !== undefined).join(', ') || 'as it is stored';
}
