import { randomBytes } from 'node:crypto';

/** Whose tokens are accepted where. */
export type TokenIssuer = 'google' | 'entra';

/** Behavior of the token endpoints from now on. */
export interface TokenPlan {
  /** Lifetime that they report for a token. */
  lastsMs: number;
  /** How long it is accepted, where that is not the same. */
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
  readonly #tokens = new Map<string, IssuedToken>();
  #asked = 0;
  #issued = 0;

  /** How many requests for a token there were. */
  get asked(): number {
    return this.#asked;
  }

  /** How many of them got one. */
  get issued(): number {
    return this.#issued;
  }

  countRequest(): void {
    this.#asked++;
  }

  issue(issuer: TokenIssuer): { access_token: string; expires_in: number; token_type: string } {
    const { acceptedMs, lastsMs } = this.next;
    const token = `sim-token-${issuer}-${randomBytes(24).toString('base64url')}`;
    this.#tokens.set(token, { issuer, acceptedUntilMs: Date.now() + (acceptedMs ?? lastsMs) });
    this.#issued++;
    return { access_token: token, expires_in: lastsMs / 1_000, token_type: 'Bearer' };
  }

  accepts(token: string, issuer: TokenIssuer): boolean {
    const issued = this.#tokens.get(token);
    return issued?.issuer === issuer && Date.now() < issued.acceptedUntilMs;
  }

  /** None that was issued so far is accepted any more. */
  revokeAll(): void {
    this.#tokens.clear();
  }
}
