import type { RunningService, StopOptions } from './run-service.ts';

/** An open resource; undefined when the settings do not need it. */
type Closable = { close(): unknown } | undefined;

/** Everything that a service opens while it starts, and whether it is stopping. */
export class ServiceLife {
  /** Parts are closed in the opposite order, when the service stops and when it cannot start. */
  readonly parts = new AsyncDisposableStack();
  /** Undefined until the service begins to stop. */
  stop: StopOptions | undefined;

  /** Closes these parts one after the other in the given order, before all earlier parts. */
  closeInOrder(parts: readonly Closable[]): void {
    for (const part of parts.toReversed()) this.parts.defer(async () => void (await part?.close()));
  }
}

/**
 * Starts a service; all services start and stop in this way.
 * @param start adds each thing that has to be closed to the life, at once or before it is open
 * @returns the result of `start`, and a function that stops the service
 * @throws errors of `start`, after everything that it had opened is closed
 */
export async function startService<Facts extends object>(
  start: (life: ServiceLife) => Promise<Facts>,
): Promise<Facts & RunningService> {
  const life = new ServiceLife();
  await using starting = life.parts;
  const facts = await start(life);
  const open = starting.move();
  return {
    ...facts,
    async close(options = { afterFailure: false }) {
      life.stop = options;
      await open.disposeAsync();
    },
  };
}
