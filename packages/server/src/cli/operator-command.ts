import type { Operator } from '@patchbay/core';

/** Where a command writes. */
export interface Output {
  /** What the command was asked for, and nothing else: it may go into a pipe. */
  result(text: string): void;
  /** For the person at the terminal. */
  note(text: string): void;
}

/** A command that works on the storage of a config. */
export interface OperatorCommand {
  readonly config: string | undefined;
  /** Whether the storage is migrated first, where the config has it so. Default: it is. */
  readonly migrate?: boolean;
  /** Whether to go on with the storage of the built-in config, where there is no config file. */
  readonly admit?: AdmitStorage;
  /** The exit code. */
  run(operator: Operator, output: Output): Promise<number>;
}

export type AdmitStorage = (storage: BuiltInStorage) => Promise<boolean>;

/** The storage that the built-in config has in a folder. */
export interface BuiltInStorage {
  readonly file: string;
  /** It does not exist, and would be made. */
  readonly isNew: boolean;
}
