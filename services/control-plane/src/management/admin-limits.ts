import { type Admission, type Limiter, type RunningLimiter, rateLimitHeaders } from '@model-gateway/limits';
import { addressGroup } from '@model-gateway/service-kit';
import { tooManyFailures, tooManyRequests } from './errors/limit-errors.ts';

export interface AdminLimitsOptions {
  limiter: Pick<RunningLimiter, 'admit' | 'knownRefusal'>;
  requestsPerMinute: number;
  failuresPerMinute: number;
}

/** Maximum of keys that this process remembers as valid. */
const MAX_KNOWN = 10_000;

/** Limits of the management API: requests per admin key, and failures per address. */
export class AdminLimits {
  readonly #options: AdminLimitsOptions;
  /** Lookup hashes of valid keys, which failures of others at the same address do not lock out. */
  readonly #known = new Set<string>();

  constructor(options: AdminLimitsOptions) {
    this.#options = options;
  }

  /**
   * Counts a request of a key.
   * @returns the headers that describe the limit @throws ManagementError 429, with these headers
   */
  async countRequest(keyId: string, requestId: string): Promise<Record<string, string>> {
    const { limiter, requestsPerMinute } = this.#options;
    const admission = await limiter.admit({
      requestId,
      hashTag: `admin-key:${keyId}`,
      policies: [{ name: 'admin-key', bucket: 'requests', limit: requestsPerMinute }],
    });
    const headers = headersOf(admission);
    if (admission.outcome !== 'refused') return headers;
    throw tooManyRequests(requestsPerMinute, admission.retryAfterMs, headers);
  }

  /** Refuses unknown keys of an address with many failures before a look-up. @throws ManagementError 429 */
  requireFewFailures(ip: string, lookupHash: string): void {
    if (this.#known.has(lookupHash)) return;
    const { failuresPerMinute, limiter } = this.#options;
    const refusal = limiter.knownRefusal(this.#failures(ip));
    if (refusal === undefined) return;
    throw tooManyFailures(failuresPerMinute, refusal.retryAfterMs, headersOf(refusal));
  }

  /** Counts a request without a valid key. @throws ManagementError 429 */
  async countFailure(ip: string, requestId: string): Promise<void> {
    const { failuresPerMinute, limiter } = this.#options;
    const admission = await limiter.admit({ requestId, ...this.#failures(ip) });
    if (admission.outcome !== 'refused') return;
    throw tooManyFailures(failuresPerMinute, admission.retryAfterMs, headersOf(admission));
  }

  noteKnownKey(lookupHash: string): void {
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.add(lookupHash);
  }

  #failures(ip: string): Pick<Parameters<Limiter['admit']>[0], 'hashTag' | 'policies'> {
    return {
      hashTag: `admin-ip:${addressGroup(ip)}`,
      policies: [{ name: 'ip', bucket: 'failures', limit: this.#options.failuresPerMinute }],
    };
  }
}

function headersOf(admission: Admission): Record<string, string> {
  return admission.outcome === 'revoked' ? {} : rateLimitHeaders(admission);
}
