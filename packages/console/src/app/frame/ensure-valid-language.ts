/**
 * Give the browser a language that `Intl` accepts. Without a locale on the machine, Chromium has `en-US@posix`, at which the
 * library of charts fails as soon as it is loaded.
 */
export function ensureValidLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en' });
  }
}
