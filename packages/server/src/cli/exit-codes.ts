/** How the command `patchbay` ends. Scripts may rely on these. */
export const exitCodes = {
  ok: 0,
  /** It was tried and failed, or a check found something. */
  failure: 1,
  /** The command line is wrong. */
  usage: 2,
  /** No credentials, wrong ones, or too few scopes. */
  access: 3,
  /** What was named does not exist. */
  notFound: 4,
  /** Here and there differ, or somebody else changed it. */
  drift: 5,
  /** The config is wrong: starting again will not help. `EX_CONFIG` of sysexits. */
  config: 78,
  /** Nobody reads standard output any more. `SIGPIPE`, as of other commands in a pipe. */
  closedPipe: 141,
} as const;
