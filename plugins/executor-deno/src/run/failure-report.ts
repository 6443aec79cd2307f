import type { ExecutionFailure } from '@patchbay/core/plugin';
import type { Artifact } from '../function-code.ts';
import { plainText } from './plain-text.ts';
import { type Ending, failure, type Phase } from './run-outcome.ts';
import { ownStackTrace } from './stack-trace.ts';

const MESSAGE_BYTES = 2048;

const reasonsByPhase: Readonly<Record<Phase, ReadonlySet<string>>> = {
  starting: new Set(),
  loading: new Set<ExecutionFailure>(['load_failed', 'never_settled']),
  running: new Set<ExecutionFailure>(['function_threw', 'never_settled', 'output_unserializable', 'output_too_large']),
};

/** Read the report that the bootstrap sends when the code failed. Undefined for what the bootstrap does not send. */
export function readFailureReport(payload: Buffer, phase: Phase, artifact: Artifact): Ending | undefined {
  const report = parseReport(payload);
  if (report === undefined || !reasonsByPhase[phase].has(report.reason)) return undefined;
  const { name, message, stack } = report;
  const text = plainText(name === '' || name === 'Error' ? message : `${name}: ${message}`, MESSAGE_BYTES);
  return failure(report.reason, text === '' ? 'The function threw' : text, ownStackTrace(stack, artifact));
}

interface Report {
  readonly reason: ExecutionFailure;
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

function parseReport(payload: Buffer): Report | undefined {
  try {
    const value: unknown = JSON.parse(payload.toString('utf8'));
    return isReport(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isReport(value: unknown): value is Report {
  if (typeof value !== 'object' || value === null) return false;
  const members: Readonly<Record<string, unknown>> = { ...value };
  return ['reason', 'name', 'message', 'stack'].every((member) => typeof members[member] === 'string');
}
