const LEAST_MAJOR = 22;
const LEAST_MINOR = 14;

/** As `@patchbay/core/node-version` has it, which is not installed yet when this runs; a test holds them together. */
export function nodeVersionFault(version: string = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > LEAST_MAJOR || (major === LEAST_MAJOR && minor >= LEAST_MINOR)) return undefined;
  return `Node ${version} is too old: ${LEAST_MAJOR}.${LEAST_MINOR} or newer is needed`;
}
