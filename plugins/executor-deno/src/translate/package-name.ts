/** The package that a specifier means: `date-fns` of `date-fns/format`. Undefined for a path, a URL or `node:fs`. */
export function packageNameOf(specifier: string): string | undefined {
  return /^(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*(?=$|\/)/u.exec(specifier)?.[0];
}
