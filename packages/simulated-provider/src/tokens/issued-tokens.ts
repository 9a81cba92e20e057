import { randomBytes } from 'node:crypto';

/** Tokens of an issuer are accepted only by its own API. */
export type TokenIssuer = 'google' | 'entra';

/** Behavior of the token endpoints from now on. */
export interface TokenPlan {
  /** The reported lifetime of a token. */
  lastsMs: number;
  /** How long a token is accepted, if not for its reported lifetime. */
  acceptedMs: number | undefined;
  /** Every request for a token is answered with 503. */
  isDown: boolean;
}

interface IssuedToken {
  issuer: TokenIssuer;
  /** Unix milliseconds. */
  acceptedUntilMs: number;
}

const HOUR_MS = 3_600_000;

export class IssuedTokens {
  readonly next: TokenPlan = { lastsMs: HOUR_MS, acceptedMs: undefined, isDown: false };
  /** Counts requests for a token, and those that got one. */
  asked = 0;
  issued = 0;
  readonly #tokens = new Map<string, IssuedToken>();

  issue(issuer: TokenIssuer): { access_token: string; expires_in: number; token_type: string } {
    const { acceptedMs, lastsMs } = this.next;
    const token = `sim-token-${issuer}-${randomBytes(24).toString('base64url')}`;
    this.#tokens.set(token, { issuer, acceptedUntilMs: Date.now() + (acceptedMs ?? lastsMs) });
    this.issued++;
    return { access_token: token, expires_in: lastsMs / 1_000, token_type: 'Bearer' };
  }

  accepts(token: string, issuer: TokenIssuer): boolean {
    const issued = this.#tokens.get(token);
    return issued?.issuer === issuer && Date.now() < issued.acceptedUntilMs;
  }

  /** Stops accepting all tokens issued so far. */
  revokeAll(): void {
    this.#tokens.clear();
  }
}
