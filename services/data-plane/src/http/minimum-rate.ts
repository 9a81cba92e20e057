import { LinkedList, PatientTimer } from '@model-gateway/service-kit';
import type { GatewayError } from '@model-gateway/shared';
import { bodyTooSlow } from '@model-gateway/shared/errors';

/** Minimum bytes per window (16 kB/s): a slow body must not hold its memory for minutes. */
const MINIMUM_RATE = { windowMs: 10_000, bytes: 160_000 } as const;

const TICK_MS = 1_000;

export interface MinimumRateBounds {
  windowMs: number;
  bytes: number;
}

export interface ArrivingBody {
  readonly size: number;
  /** Returns true while the gateway itself has stopped reading, so the client is not slow. */
  isHeldBack(): boolean;
  /** Called when the body arrives too slowly. */
  giveUp(reason: GatewayError): void;
}

interface Watched {
  body: ArrivingBody;
  sizeAtStart: number;
  elapsedMs: number;
}

/** Aborts bodies that arrive too slowly. One timer serves all bodies and stops without any. */
export class MinimumRate {
  readonly #bounds: MinimumRateBounds;
  readonly #watched = new LinkedList<Watched>();
  readonly #tickMs: number;
  #ticks: PatientTimer | undefined;

  constructor(bounds: MinimumRateBounds = MINIMUM_RATE) {
    this.#bounds = bounds;
    this.#tickMs = Math.min(TICK_MS, bounds.windowMs / 4);
  }

  /** @returns a function that stops watching; it may be called more than once */
  watch(body: ArrivingBody): () => void {
    const entry = this.#watched.add({ body, sizeAtStart: body.size, elapsedMs: 0 });
    this.#ticks ??= this.#nextTick();
    // The timer keeps running until it ticks, for the next body.
    return () => this.#watched.remove(entry);
  }

  #nextTick(): PatientTimer {
    return new PatientTimer(this.#tickMs, () => this.#tick());
  }

  #tick(): void {
    this.#ticks = this.#watched.size === 0 ? undefined : this.#nextTick();
    for (const watched of this.#watched.items()) {
      const { body } = watched;
      if (body.isHeldBack()) {
        watched.sizeAtStart = body.size;
        watched.elapsedMs = 0;
        continue;
      }
      watched.elapsedMs += this.#tickMs;
      const { bytes, windowMs } = this.#bounds;
      if (watched.elapsedMs < windowMs) continue;
      if (body.size - watched.sizeAtStart < bytes) body.giveUp(bodyTooSlow(bytes, windowMs));
      watched.sizeAtStart = body.size;
      watched.elapsedMs = 0;
    }
  }
}
