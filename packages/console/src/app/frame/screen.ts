import type { ComponentType } from 'preact';
import type { OperationName } from '../api/api-client.ts';

/** The props of a screen. */
export interface ScreenProps {
  /** Segments of the path below the screen: an id, a tab. */
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** An entry of the navigation. Its code is loaded when it is opened. */
export interface Screen {
  /** First segment of its path. */
  readonly path: string;
  readonly title: string;
  readonly group: 'Build' | 'Observe' | 'Manage';
  /** Letter that opens it, after `g`. */
  readonly key: string;
  /** The operation without which there is nothing to show: callers who may not use it do not see the screen. Absent: all do. */
  readonly needs?: OperationName;
  readonly load: () => Promise<{ readonly default: ComponentType<ScreenProps> }>;
}
