import type { ReportedRequest } from './reported-request.ts';

/** Latest uses of a provider's credential in a batch. */
export interface CredentialUse {
  providerId: string;
  /** Empty: the data plane named none. */
  variable: string;
  /** Last response that was no 401; null: there was none. */
  acceptedAt: Date | null;
  /** First and last 401. */
  refusedSince: Date | null;
  refusedAt: Date | null;
}

/**
 * Notes which credentials providers accepted and refused. A 401 is always the credential's fault; other
 * failures say nothing about it.
 * @param nowMs caps attempts from a clock that is ahead
 * @returns sorted by provider and variable
 */
export function credentialUses(
  requests: readonly Pick<ReportedRequest, 'attempts'>[],
  nowMs: number,
): CredentialUse[] {
  const uses = new Map<string, CredentialUse>();
  for (const attempt of requests.flatMap(({ attempts }) => attempts)) {
    const { credentialEnv: variable = '', endedAtMs, httpStatus, outcome, providerId } = attempt;
    const isRefused = httpStatus === 401;
    if (!isRefused && outcome !== 'completed') continue;
    const key = JSON.stringify([providerId, variable]);
    const use = uses.get(key) ?? {
      providerId,
      variable,
      acceptedAt: null,
      refusedSince: null,
      refusedAt: null,
    };
    uses.set(key, use);
    const at = new Date(Math.min(endedAtMs, nowMs));
    if (!isRefused) use.acceptedAt = latest(use.acceptedAt, at);
    else {
      use.refusedAt = latest(use.refusedAt, at);
      if (use.refusedSince === null || at < use.refusedSince) use.refusedSince = at;
    }
  }
  return [...uses].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, use]) => use);
}

function latest(known: Date | null, at: Date): Date {
  return known === null || known < at ? at : known;
}
