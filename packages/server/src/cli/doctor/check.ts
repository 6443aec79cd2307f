/** What was looked at, and how it is. `skip`: there is nothing to look at. */
export interface Check {
  readonly name: string;
  readonly status: 'pass' | 'warn' | 'fail' | 'skip';
  readonly detail: string;
}
