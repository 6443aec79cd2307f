/**
 * Give the browser a language that `Intl` accepts. Without a locale on the machine, Chromium has `en-US@posix`, on which the
 * chart library fails as soon as it is loaded.
 */
export function ensureValidLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en' });
  }
}
