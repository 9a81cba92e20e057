import { type DestinationStream, type Logger, pino } from 'pino';
import { BatchedOutput } from './batched-output.ts';
import { createTimestamp } from './timestamp.ts';

export type { Logger };

export interface LoggerOptions {
  service: string;
  level: string;
  /** The default is standard output. */
  destination?: DestinationStream;
}

/**
 * Makes a logger that writes JSON lines. Callers name each field that they log, so that no whole header or
 * body gets into the log.
 */
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

/** All loggers that write to standard output share this, so that their lines keep their order. */
let standardOutput: BatchedOutput | undefined;

/**
 * Writes the last lines, if somebody reads them, before the process ends. The library alone would write them
 * when the process exits, and would try for ever when the reader is gone or does not read.
 */
export async function closeLogs(): Promise<void> {
  const closing = standardOutput;
  standardOutput = undefined;
  await closing?.close();
}

/**
 * Returns an error with its chain of causes, without the enumerable extras that some libraries attach
 * (request options, headers).
 */
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
