/** How the command is called from the terminal that this one was called from. npm sets the variable for what it runs. */
export function commandName(env: NodeJS.ProcessEnv): string {
  return env['npm_lifecycle_event'] === undefined ? 'patchbay' : 'npx patchbay';
}
