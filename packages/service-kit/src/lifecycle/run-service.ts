import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { ConfigError, type Environment } from '../config/parse-config.ts';
import { closeLogs } from '../observability/logger.ts';
import { catchUnexpected } from './unexpected-failure.ts';

export interface StopOptions {
  /** True after an unexpected failure: load balancers get no notice, and open work has little time. */
  afterFailure: boolean;
}

export interface RunningService {
  /**
   * Reports the service as not ready, lets running work finish within its time limit, and then frees
   * everything. Without options it stops as for SIGTERM.
   */
  close(options?: StopOptions): Promise<void>;
}

export interface ServiceDefinition<Config> {
  name: string;
  /** @throws ConfigError */
  parseConfig(environment: Environment): Config;
  start(config: Config): Promise<RunningService>;
  /** The longest time that `close` takes by its own limits. After it, the process ends. */
  maxStopMs(config: Config): number;
}

/** One stop request arrives several times: managers signal whole groups, and npm passes signals on. */
const SAME_SIGNAL_MS = 1_000;
/** How long a failed service may take to stop: for open requests, and then for storing their cost. */
export const FAILURE_STOP_MS = 10_000;
/** How long open requests may go on in a service that failed. */
export const FAILURE_DRAIN_MS = 5_000;

/** Sent to a parent with an IPC channel when the service listens. */
export const STARTED = 'started';

/**
 * Runs a service process: parses settings, starts, waits for SIGTERM or SIGINT, stops, and exits with 0.
 * Wrong settings, or a start that fails, give clear lines on standard error and exit code 1, and nothing
 * stays half started. An exception that nobody caught is logged with its causes; then the service stops as
 * well as it can, and exits with 1. A second signal ends the process at once.
 */
export async function runService<Config>(definition: ServiceDefinition<Config>): Promise<void> {
  const { name } = definition;
  // The reader of the output may be gone; that is no reason to end.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
  let config: Config;
  try {
    config = definition.parseConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) process.stderr.write(`${name}: ${problem}\n`);
    process.exit(1);
  }
  // This comes before the start, because process 1 of a container would otherwise ignore a signal that comes
  // meanwhile.
  const stop = stopRequested();
  const failure = catchUnexpected(name);
  let service: RunningService;
  try {
    const started = await Promise.race([definition.start(config), failure]);
    if (started === 'failed') return await end(1);
    service = started;
  } catch (error) {
    process.stderr.write(`${name}: could not start: ${describe(error)}\n`);
    process.exit(1);
  }
  // Shows a parent with an IPC channel that this process, and no other, listens on the ports. The parent may
  // be gone.
  process.send?.(STARTED, undefined, undefined, () => undefined);
  const afterFailure = (await Promise.race([stop, failure])) === 'failed';
  const boundMs = afterFailure ? FAILURE_STOP_MS : definition.maxStopMs(config);
  try {
    const closing = service.close({ afterFailure });
    const ended = await Promise.race([
      closing.then(() => 'closed' as const),
      wait(boundMs, 'late' as const),
      // A service that fails while it stops gets no more time than one that failed before.
      failure.then(() => wait(Math.min(boundMs, FAILURE_STOP_MS), 'failed' as const)),
    ]);
    if (ended !== 'closed') throw new Error(`it took longer than ${boundMs} ms`);
    const failed = await Promise.race([failure, Promise.resolve('stopped' as const)]);
    await end(failed === 'failed' ? 1 : 0);
  } catch (error) {
    process.stderr.write(`${name}: could not stop cleanly: ${describe(error)}\n`);
    await end(1);
  }
}

async function end(exitCode: number): Promise<never> {
  await closeLogs();
  process.exit(exitCode);
}

/** Resolves at the first signal, or when a parent that started this process with an IPC channel is gone. */
function stopRequested(): Promise<'stop'> {
  return new Promise((resolve) => {
    let requestedAtMs: number | undefined;
    const stop = () => {
      if (requestedAtMs === undefined) requestedAtMs = performance.now();
      else if (performance.now() - requestedAtMs > SAME_SIGNAL_MS) process.exit(1);
      resolve('stop');
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
