import type { BackgroundNote, ChatMeter, JsonObject, Usage } from '@model-gateway/dialects';
import type { ResponseTracker, UnfinishedResponse } from '../upstream/capability-call.ts';

const UNFINISHED_STATUS: ReadonlySet<unknown> = new Set(['queued', 'in_progress']);

/** Tracks the response that a provider may still work on after the request has ended. */
export class BackgroundWork implements BackgroundNote, ResponseTracker {
  readonly isRequested: boolean;
  #meter: Pick<ChatMeter, 'estimatePrompt'> | undefined;
  #unfinished: UnfinishedResponse | undefined;

  /** @param isRequested true for `background: true`; else the provider only stores the response */
  constructor(isRequested: boolean) {
    this.isRequested = isRequested;
  }

  /** Call this before the first response. */
  measureWith(meter: Pick<ChatMeter, 'estimatePrompt'>): void {
    this.#meter = meter;
  }

  get unfinished(): UnfinishedResponse | undefined {
    return this.#unfinished;
  }

  /** Forgets the response of the previous provider, whose id no caller has seen. */
  restart(): void {
    this.#unfinished = undefined;
  }

  note(providerId: string, { id, status }: JsonObject): void {
    const isUnfinished = typeof id === 'string' && UNFINISHED_STATUS.has(status);
    this.#unfinished = isUnfinished ? { providerId, responseId: id } : undefined;
  }

  estimatePrompt(): Usage {
    if (this.#meter === undefined) throw new Error('estimated without a meter');
    return this.#meter.estimatePrompt();
  }
}
