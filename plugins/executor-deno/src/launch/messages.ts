import type { Command } from './deno-command.ts';

/** What the server asks its launch helper for. Ids are the server's to choose. */
export type LaunchRequest =
  | {
      readonly kind: 'start';
      readonly id: number;
      readonly command: Command;
      /** Where the server takes connections: the first is the standard output, the second the standard error. */
      readonly socketPath: string;
    }
  | {
      readonly kind: 'kill';
      readonly id: number;
      /** The process started another one, which is what has to die first. */
      readonly isWrapped: boolean;
    }
  /** Nothing more is to come, and nothing is under way. */
  | { readonly kind: 'leave' };

/** What the helper reports. */
export type LaunchReport =
  | { readonly kind: 'started'; readonly id: number; readonly pid: number }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
  | { readonly kind: 'ended'; readonly id: number; readonly code: number | null; readonly signal: string | null };
