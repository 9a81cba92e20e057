import { PatientTimer } from '@model-gateway/service-kit';
import { ClientGone, type Exchange } from '../http/exchange.ts';
import { Shares } from '../memory/shares.ts';
import { modelOf } from '../request-record.ts';
import type { UpstreamCall } from './upstream-call.ts';

/** Maximum responses of one key that are read for nobody. */
const MAX_PER_KEY = 8;
/** The provider of a stream of text must see its request closed within 100 ms after its client has left. */
const TEXT_STREAM_MS = 50;

/** Lets paid calls go on after their client has left, until the provider has counted. */
export class ReadingOn {
  readonly #maxMs: number;
  readonly #calls = new Set<UpstreamCall>();
  readonly #shares = new Shares(MAX_PER_KEY);
  #onIdle: (() => void) | undefined;

  /** @param maxMs 0: every call ends at once */
  constructor(maxMs: number) {
    this.#maxMs = maxMs;
  }

  get size(): number {
    return this.#calls.size;
  }

  /** @returns false if the call must end now, because it is free, unsent or one too many */
  begin(call: UpstreamCall, { ends, record, req }: Exchange): boolean {
    const model = modelOf(record);
    const keyId = record.key?.keyId ?? '';
    // An upload that was cut off is never answered.
    if (model?.price === undefined || !req.complete || !this.#shares.fits(keyId, 1)) return false;
    const writesText = model.capability === 'chat' || model.capability === 'completions';
    const ms = record.streamed && writesText ? Math.min(TEXT_STREAM_MS, this.#maxMs) : this.#maxMs;
    if (ms === 0) return false;
    this.#calls.add(call);
    this.#shares.take(keyId, 1);
    const timer = new PatientTimer(ms, () => call.giveUp(new ClientGone()));
    ends.push(() => {
      timer.clear();
      this.#end(call, keyId);
    });
    return true;
  }

  /** Ends all calls: their requests are settled by what is known. */
  cutAll(): void {
    for (const call of [...this.#calls]) call.giveUp(new ClientGone());
  }

  /** Resolves once no call goes on, and all are settled. Call it once. */
  whenIdle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#calls.size === 0) resolve();
      else this.#onIdle = resolve;
    });
  }

  #end(call: UpstreamCall, keyId: string): void {
    this.#calls.delete(call);
    this.#shares.giveBack(keyId, 1);
    if (this.#calls.size === 0) this.#onIdle?.();
  }
}
