import type { BackgroundNote, ChatMeter, JsonObject, Usage } from '@model-gateway/dialects';
import type { WorkAfterAnswer, WorkedOn } from '../upstream/capability-call.ts';

/** Statuses of a response that its provider works on, or will. */
const UNDER_WAY: ReadonlySet<unknown> = new Set(['queued', 'in_progress']);

/** The one response to a request that its provider may work on after the answer. */
export class BackgroundWork implements BackgroundNote, WorkAfterAnswer {
  readonly isAskedFor: boolean;
  #meter: Pick<ChatMeter, 'estimator'> | undefined;
  #workedOn: WorkedOn | undefined;

  /** @param isAskedFor true if the request runs in the background; else its response is merely kept */
  constructor(isAskedFor: boolean) {
    this.isAskedFor = isAskedFor;
  }

  /** To be called before the first answer. */
  measureWith(meter: Pick<ChatMeter, 'estimator'>): void {
    this.#meter = meter;
  }

  get workedOn(): WorkedOn | undefined {
    return this.#workedOn;
  }

  /** Another provider is asked: nobody has been told of the response of the one before. */
  restart(): void {
    this.#workedOn = undefined;
  }

  note(providerId: string, { id, status }: JsonObject): void {
    const isWorkedOn = typeof id === 'string' && UNDER_WAY.has(status);
    this.#workedOn = isWorkedOn ? { providerId, responseId: id } : undefined;
  }

  estimator(): (written: unknown) => Usage {
    if (this.#meter === undefined) throw new Error('estimated without a meter');
    return this.#meter.estimator();
  }
}
