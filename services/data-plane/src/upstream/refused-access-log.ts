import type { UsedCredential } from '@model-gateway/dialects';
import type { Logger } from '@model-gateway/service-kit';
import type { Verdict } from '@model-gateway/shared';
import { operatorsReport, type UpstreamAttempt } from '../request-record.ts';

/** Minimum interval between equal log lines. */
const LOG_INTERVAL_MS = 60_000;

/**
 * Logs, at most once a minute per credential, that its provider refuses it, also if another credential served
 * the request.
 */
export class RefusedAccessLog {
  readonly #log: Pick<Logger, 'error'>;
  /** By provider, then by variable. */
  readonly #loggedAtMs = new Map<string, Map<string | undefined, number>>();

  constructor(log: Pick<Logger, 'error'>) {
    this.#log = log;
  }

  /** Logs a refused credential; ignores other failures. */
  note(
    { credential }: Verdict,
    usedCredential: UsedCredential,
    attempt: Pick<UpstreamAttempt, 'httpStatus' | 'report'>,
  ): void {
    if (credential !== 'refused' && credential !== 'refused_for_model') return;
    const { credentialEnv, providerId, source } = usedCredential;
    const nowMs = performance.now();
    const ofProvider = this.#loggedAtMs.get(providerId) ?? new Map<string | undefined, number>();
    if (nowMs - (ofProvider.get(credentialEnv) ?? Number.NEGATIVE_INFINITY) < LOG_INTERVAL_MS) return;
    this.#loggedAtMs.set(providerId, ofProvider.set(credentialEnv, nowMs));
    this.#log.error(
      {
        provider: providerId,
        credential_env: credentialEnv,
        source,
        upstream_status: attempt.httpStatus,
        provider_error: operatorsReport(attempt),
      },
      source === undefined
        ? 'a provider refuses the credential of the gateway: set the variable to one that it accepts, and restart'
        : 'a provider refuses the identity of the gateway: check its permissions there',
    );
  }

  /** Forgets providers that the catalog no longer has. */
  keepOnly(providerIds: ReadonlyMap<string, unknown>): void {
    for (const id of this.#loggedAtMs.keys()) if (!providerIds.has(id)) this.#loggedAtMs.delete(id);
  }
}
