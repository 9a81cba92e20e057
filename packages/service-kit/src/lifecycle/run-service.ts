import process from 'node:process';
import { ConfigError, type Environment } from '../config/parse-config.ts';
import { closeLogs } from '../observability/logger.ts';

export interface RunningService {
  /** Lets running work finish within its bound, then frees everything. */
  close(): Promise<void>;
}

export interface ServiceDefinition<Config> {
  name: string;
  /** @throws ConfigError */
  parseConfig(environment: Environment): Config;
  start(config: Config): Promise<RunningService>;
}

/**
 * A process manager signals every process of a group, and npm and the bootstrap pass on what they get: one wish to
 * stop arrives several times.
 */
const SAME_SIGNAL_MS = 1_000;

/** Sent to a parent with an IPC channel when the service listens. */
export const STARTED = 'started';

/**
 * The whole life of a service process: parse settings, start, wait for SIGTERM or SIGINT, stop, exit 0.
 * Wrong settings, or a start that fails: clear lines on standard error and exit 1, nothing half started.
 * A later signal ends the process at once.
 */
export async function runService<Config>(definition: ServiceDefinition<Config>): Promise<void> {
  const { name } = definition;
  let config: Config;
  try {
    config = definition.parseConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) process.stderr.write(`${name}: ${problem}\n`);
    process.exit(1);
  }
  // Before it starts: as process 1 of a container it would otherwise not notice a signal that comes meanwhile.
  const stop = stopRequested();
  let service: RunningService;
  try {
    service = await definition.start(config);
  } catch (error) {
    process.stderr.write(`${name}: could not start: ${describe(error)}\n`);
    process.exit(1);
  }
  // A parent that keeps an IPC channel to us wants to know that it is we who listen on our ports.
  process.send?.(STARTED);
  await stop;
  try {
    await service.close();
    await closeLogs();
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${name}: could not stop cleanly: ${describe(error)}\n`);
    process.exit(1);
  }
}

/** Resolves at the first signal, or when a parent that started us with an IPC channel is gone. */
function stopRequested(): Promise<void> {
  return new Promise((resolve) => {
    let requestedAtMs: number | undefined;
    const stop = () => {
      if (requestedAtMs === undefined) requestedAtMs = performance.now();
      else if (performance.now() - requestedAtMs > SAME_SIGNAL_MS) process.exit(1);
      resolve();
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
    process.once('disconnect', stop);
  });
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${describe(error.cause)})`;
}
