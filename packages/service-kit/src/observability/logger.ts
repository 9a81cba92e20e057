import { setTimeout as wait } from 'node:timers/promises';
import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

export interface LoggerOptions {
  service: string;
  level: string;
  /** Standard output unless given. */
  destination?: DestinationStream;
}

/** JSON lines. Nothing is logged whole: callers name each field, so no header or body can slip in. */
export function createLogger({ service, level, destination }: LoggerOptions): Logger {
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { error: serializeError },
    },
    destination ?? standardOutput(),
  );
}

/** Those that write to standard output. */
const outputs = new Set<ReturnType<typeof pino.destination>>();
const LAST_LINES_MS = 1_000;
const CLOSE_MS = 200;

function standardOutput() {
  const output = pino.destination({ sync: false });
  outputs.add(output);
  return output;
}

/**
 * Writes the last lines, if somebody reads them, before the process ends. Left to itself, the library writes them when
 * the process exits, and tries for ever where the reader is gone or stuck.
 */
export async function closeLogs(): Promise<void> {
  await Promise.all(
    [...outputs].map(async (output) => {
      const flushed = new Promise<void>((resolve) => output.flush(() => resolve()));
      await Promise.race([flushed, wait(LAST_LINES_MS)]);
      const closed = new Promise<void>((resolve) => output.once('close', () => resolve()));
      output.destroy();
      await Promise.race([closed, wait(CLOSE_MS)]);
    }),
  );
}

/** An error with its chain of causes, without the enumerable extras some libraries attach (request options, headers). */
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
