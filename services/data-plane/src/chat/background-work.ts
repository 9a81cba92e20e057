import type { BackgroundNote, ChatMeter, JsonObject, Usage } from '@model-gateway/dialects';
import type { WorkAfterAnswer, WorkedOn } from '../upstream/capability-call.ts';

const UNFINISHED: ReadonlySet<unknown> = new Set(['queued', 'in_progress']);

/** Tracks the response that a provider may still work on after the request was answered. */
export class BackgroundWork implements BackgroundNote, WorkAfterAnswer {
  readonly isAskedFor: boolean;
  #meter: Pick<ChatMeter, 'estimator'> | undefined;
  #workedOn: WorkedOn | undefined;

  /** @param isAskedFor true for `background: true`; else the provider only stores the response */
  constructor(isAskedFor: boolean) {
    this.isAskedFor = isAskedFor;
  }

  /** Call this before the first response. */
  measureWith(meter: Pick<ChatMeter, 'estimator'>): void {
    this.#meter = meter;
  }

  get workedOn(): WorkedOn | undefined {
    return this.#workedOn;
  }

  /** Forgets the response of the previous provider, whose id no caller has seen. */
  restart(): void {
    this.#workedOn = undefined;
  }

  note(providerId: string, { id, status }: JsonObject): void {
    const isWorkedOn = typeof id === 'string' && UNFINISHED.has(status);
    this.#workedOn = isWorkedOn ? { providerId, responseId: id } : undefined;
  }

  estimator(): (written: unknown) => Usage {
    if (this.#meter === undefined) throw new Error('estimated without a meter');
    return this.#meter.estimator();
  }
}
