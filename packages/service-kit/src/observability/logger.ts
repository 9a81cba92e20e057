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
  const output = destination ?? sharedOutput();
  const timestamp = createTimestamp();
  const log = pino({ level, base: { service }, timestamp, serializers: { error: serializeError } }, output);
  const begin = `{"level":${log.levels.values.info}`;
  const base = `,"service":${JSON.stringify(service)}`;
  lineParts.set(log, { output, beginInfo: () => begin + timestamp() + base });
  return log;
}

/** The destination of a logger, and the beginning of each info line. */
interface LineParts {
  output: DestinationStream;
  beginInfo: () => string;
}

const lineParts = new WeakMap<Logger, LineParts>();

/**
 * Makes a function that writes the same line as `log.info(fields, message)`, for the line that every request
 * has. JSON.stringify writes and escapes all fields at once, which takes half the time of the library's loop
 * over them. Errors among the fields go through `serializeError` first.
 */
export function infoWriter(
  log: Logger,
  message: string,
): (fields: Readonly<Record<string, unknown>>) => void {
  const parts = lineParts.get(log);
  // A logger that was derived from another one has more in its lines.
  if (parts === undefined) return (fields) => log.info(fields, message);
  const { output, beginInfo } = parts;
  const end = `,"msg":${JSON.stringify(message)}}\n`;
  return (fields) => {
    if (!log.isLevelEnabled('info')) return;
    const members = JSON.stringify(fields).slice(1, -1);
    output.write(`${beginInfo()}${members === '' ? '' : ','}${members}${end}`);
  };
}

/** All loggers that write to standard output share this, so that their lines keep their order. */
let standardOutput: BatchedOutput | undefined;

function sharedOutput(): BatchedOutput {
  standardOutput ??= new BatchedOutput();
  return standardOutput;
}

/**
 * Writes the last lines before the process ends. At exit, the library would wait for ever for a lost reader.
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
