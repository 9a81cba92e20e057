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
    destination ?? pino.destination({ sync: false }),
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
