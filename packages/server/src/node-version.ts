const LEAST_MAJOR = 22;
const LEAST_MINOR = 14;

/** Why a Node is too old, or nothing: on such a one every plugin would fail, each with a riddle of its own. */
export function nodeVersionFault(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > LEAST_MAJOR || (major === LEAST_MAJOR && minor >= LEAST_MINOR)) return undefined;
  return `Node ${version} is too old: ${LEAST_MAJOR}.${LEAST_MINOR} or newer is needed`;
}
