import { PatientTimer } from '@model-gateway/service-kit';

/** An answered ping validates cached keys for this long, counted from when it was sent. */
const LEASE_MS = 3_000;
/** Bounds of requests that wait for a renewal: how many, and how long. */
const MAX_WAITING = 10_000;
const MAX_WAIT_MS = 3_000;

/** The lease on cached keys, which answered pings renew. All durations are monotonic. */
export class KeyLease {
  #untilMs = 0;
  #sequence = 0;
  /** When each unanswered ping was sent, by sequence number. */
  readonly #pings = new Map<string, number>();
  readonly #waiting = new Set<(isRenewed: boolean) => void>();

  isLive(): boolean {
    return performance.now() < this.#untilMs;
  }

  /** Returns the milliseconds since the last answered ping was sent. */
  lagMs(): number {
    return Math.max(0, performance.now() - (this.#untilMs - LEASE_MS));
  }

  /** Returns the sequence number of a ping to send now. */
  startPing(): string {
    const sequence = String(++this.#sequence);
    this.#pings.set(sequence, performance.now());
    return sequence;
  }

  /** Renews the lease, counted from the sending of this ping. */
  pingAnswered(answered: string): void {
    const sentAtMs = this.#pings.get(answered);
    if (sentAtMs === undefined) return;
    for (const sequence of this.#pings.keys()) {
      if (Number(sequence) <= Number(answered)) this.#pings.delete(sequence);
    }
    this.#untilMs = Math.max(this.#untilMs, sentAtMs + LEASE_MS);
    if (this.isLive()) this.#settleWaiting(true);
  }

  /** Ignores late replies to the pings of an earlier stream. */
  forgetPings(): void {
    this.#pings.clear();
  }

  /** Waits until the lease is renewed. @returns false when it is not renewed in time, or too many wait */
  renewed(): Promise<boolean> {
    if (this.#waiting.size >= MAX_WAITING) return Promise.resolve(false);
    return new Promise((resolve) => {
      const settle = (isRenewed: boolean) => {
        timer.clear();
        this.#waiting.delete(settle);
        resolve(isRenewed);
      };
      const timer = new PatientTimer(MAX_WAIT_MS, () => settle(false));
      this.#waiting.add(settle);
    });
  }

  /** Ends all waits for a renewal. */
  giveUpWaiting(): void {
    this.#settleWaiting(false);
  }

  /** Ends the lease early. */
  end(): void {
    this.#untilMs = 0;
    this.giveUpWaiting();
  }

  #settleWaiting(isRenewed: boolean): void {
    for (const settle of [...this.#waiting]) settle(isRenewed);
  }
}
