import type { RunningService, StopOptions } from './run-service.ts';

/** Something that is open; undefined where the settings want none. */
type Closable = { close(): unknown } | undefined;

/** What a service opens while it starts, and how it is told to stop. */
export class ServiceLife {
  /** Closed in the opposite order, when the service stops and when it cannot start. */
  readonly parts = new AsyncDisposableStack();
  /** Undefined: it has not been told to stop. */
  stop: StopOptions | undefined;

  /** Closes these one after the other, as they stand here, and all of them before earlier parts. */
  closeInOrder(parts: readonly Closable[]): void {
    for (const part of parts.toReversed()) this.parts.defer(async () => void (await part?.close()));
  }
}

/**
 * The one way in which services start and stop.
 * @param start adds to the life whatever has to be closed as soon as it is there, or before
 * @returns what `start` returns, and how to stop the service
 * @throws what `start` throws, when everything is closed that it had opened
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
