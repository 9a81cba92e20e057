import { type DestinationStream, type Logger, pino } from 'pino';
import { BatchedOutput } from './batched-output.ts';
import { createTimestamp } from './timestamp.ts';

export type { Logger };

export interface LoggerOptions {
  service: string;
  level: string;
  /** Standard output unless given. */
  destination?: DestinationStream;
}

/** JSON lines. Nothing is logged whole: callers name each field, so no header or body can slip in. */
export function createLogger({ service, level, destination }: LoggerOptions): Logger {
  standardOutput ??= destination === undefined ? new BatchedOutput() : undefined;
  return pino(
    {
      level,
      base: { service },
      timestamp: createTimestamp(),
      serializers: { error: serializeError },
    },
    destination ?? standardOutput,
  );
}

/** One for all loggers that write there, so that their lines keep their order. */
let standardOutput: BatchedOutput | undefined;

/**
 * Writes the last lines, if somebody reads them, before the process ends. Left to itself, the library writes
 * them when the process exits, and tries for ever where the reader is gone or stuck.
 */
export async function closeLogs(): Promise<void> {
  const closing = standardOutput;
  standardOutput = undefined;
  await closing?.close();
}

/** An error with its causes, without what some libraries attach to it (request options, headers). */
export function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? error.code : undefined;
  return {
    name: error.name,
    message: error.message,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: serializeError(error.cause) }),
  };
}
