import { verdictOf } from '@model-gateway/dialects';
import { GatewayError } from '@model-gateway/shared';
import { providerLimits, withRetryAfter } from '@model-gateway/shared/errors';
import type { RoutedCredential, RoutedProvider } from '../catalog/model-table.ts';
import type { CredentialSource } from '../credential-sources/fetched-credential.ts';
import { CredentialRests } from './credential-rests.ts';
import type { HeldCredential } from './fetched-credentials.ts';

export interface ProviderCredential {
  variable: string | undefined;
  /** Undefined: none is sent, or it has to be fetched. */
  value: string | undefined;
  /** Set for a credential that has to be fetched. */
  source: CredentialSource | undefined;
  /** Values of all credentials of the provider, which must appear in no response. */
  secrets: readonly string[];
}

/** Returns the credential that an attempt sends, and the secrets to redact from responses. */
export function sentAs({ secrets, source, value }: ProviderCredential, fetched: HeldCredential | undefined) {
  const secret = fetched?.secret;
  return {
    credential: secret ?? value,
    fetched,
    source: source?.name,
    secrets: secret === undefined ? secrets : [secret, ...secrets],
  };
}

/** `missing`: its variable is not set; `limited` and `refused`: it rests for some model. */
export type CredentialState = 'usable' | 'limited' | 'refused' | 'missing';

export interface CredentialAttempts<Result> {
  provider: RoutedProvider;
  model: string;
  /** @param accepted call this as soon as the provider has accepted the credential */
  attempt(credential: ProviderCredential, accepted: () => void): Promise<Result>;
  accepted?(): void;
  mayRepeat(): boolean;
}

interface Member {
  credential: ProviderCredential;
  rests: CredentialRests;
}

interface Ring {
  /** The catalog's credentials that the ring was made for; empty: it is made again at the next use. */
  of: readonly RoutedCredential[];
  members: readonly Member[];
  next: number;
}

/**
 * Rotates the credentials of a provider (docs/providers.md, "Several credentials"). One that is refused or
 * limited rests for a while and the request goes on with the next. If all rest, one of them is used.
 */
export class ProviderCredentials {
  readonly #credential: (variable: string) => string | undefined;
  readonly #now: () => number;
  readonly #rings = new Map<string, Ring>();

  /**
   * @param credential returns the value of a variable
   * @param now monotonic milliseconds
   */
  constructor(credential: (variable: string) => string | undefined, now = () => performance.now()) {
    this.#credential = credential;
    this.#now = now;
  }

  /** Returns true if one is set, or none is needed. */
  isUsable(provider: RoutedProvider): boolean {
    return this.#ringOf(provider).members.length > 0;
  }

  states(provider: RoutedProvider): Record<CredentialState, number> {
    const { members } = this.#ringOf(provider);
    const states = {
      usable: 0,
      limited: 0,
      refused: 0,
      missing: provider.credentials.length - members.length,
    };
    const nowMs = this.#now();
    for (const { rests } of members) states[rests.state(nowMs)]++;
    return states;
  }

  all(provider: RoutedProvider): ProviderCredential[] {
    return this.#ringOf(provider).members.map(({ credential }) => credential);
  }

  /**
   * Makes an attempt with the next credential, and with each other one while it is refused, limited or finds
   * no response. Needs no retry budget, because a refused credential rests.
   * @throws what the attempt throws; if all fail, a limit with the shortest wait takes precedence
   */
  tryCredentials<Result>(attempts: CredentialAttempts<Result>): Promise<Result> {
    const ring = this.#ringOf(attempts.provider);
    const [only, second] = ring.members;
    if (only === undefined)
      return Promise.reject(new Error(`${attempts.provider.id} has no credential here`));
    return second === undefined
      ? attempts.attempt(only.credential, attempts.accepted ?? ignored)
      : this.#tryEach(ring, attempts);
  }

  /** Reads all values again at the next use. A credential with the same value keeps its rests. */
  forgetValues(): void {
    for (const ring of this.#rings.values()) ring.of = [];
  }

  /** Forgets providers that the catalog no longer has. */
  keepOnly(providerIds: ReadonlyMap<string, unknown>): void {
    for (const id of this.#rings.keys()) if (!providerIds.has(id)) this.#rings.delete(id);
  }

  async #tryEach<Result>(
    ring: Ring,
    { accepted, attempt, mayRepeat, model }: CredentialAttempts<Result>,
  ): Promise<Result> {
    const untried = new Set(ring.members);
    const failures: GatewayError[] = [];
    let member: Member | undefined =
      this.#choose(ring, untried, model, mayRepeat()) ?? pickSoonest(ring, model);
    while (member !== undefined) {
      const { credential, rests } = member;
      untried.delete(member);
      const startedAtMs = this.#now();
      try {
        return await attempt(credential, () => {
          rests.accepted(model, startedAtMs);
          accepted?.();
        });
      } catch (failure) {
        if (!concernsCredential(failure)) throw failure;
        this.#rest(rests, model, failure);
        failures.push(failure);
        if (!mayRepeat()) break;
        member = this.#choose(ring, untried, model, true);
        if (isStoredElsewhere(failure)) member ??= untried.values().next().value;
      }
    }
    throw this.#combineFailures(ring, model, failures);
  }

  /**
   * Picks the next member that does not rest. @param mayTest true to also pick one whose rest is due for a
   * test
   */
  #choose(ring: Ring, untried: ReadonlySet<Member>, model: string, mayTest: boolean): Member | undefined {
    const { members } = ring;
    const nowMs = this.#now();
    for (let step = 0; step < members.length; step++) {
      const place = (ring.next + step) % members.length;
      const member = members[place];
      if (member === undefined || !untried.has(member)) continue;
      const state = member.rests.stateFor(model, nowMs);
      if (state === 'resting' || (state === 'due' && !mayTest)) continue;
      if (state === 'due') member.rests.test(model, nowMs);
      ring.next = (place + 1) % members.length;
      return member;
    }
    return undefined;
  }

  #rest(rests: CredentialRests, model: string, failure: GatewayError): void {
    const { credential } = verdictOf(failure);
    if (credential === undefined) return;
    if (credential === 'limited') rests.limited(model, waitSeconds(failure) * 1_000, this.#now());
    else rests.refused(model, credential !== 'refused_for_model', this.#now());
  }

  #combineFailures(ring: Ring, model: string, failures: readonly GatewayError[]): GatewayError | undefined {
    const nowMs = this.#now();
    const waits = ring.members
      .map(({ rests }) => (rests.limitEndsMs(model) ?? nowMs) - nowMs)
      .filter((waitMs) => waitMs > 0);
    const limit = failures.find(isLimit);
    if (waits.length === 0) return limit ?? failures.find(isStoredElsewhere) ?? failures.at(-1);
    const seconds = Math.ceil(Math.min(...waits) / 1_000);
    return limit === undefined ? providerLimits(seconds, failures.at(-1)) : withRetryAfter(limit, seconds);
  }

  #ringOf(provider: RoutedProvider): Ring {
    const ring = this.#rings.get(provider.id);
    return ring?.of === provider.credentials ? ring : this.#newRing(provider, ring);
  }

  /** Rebuilds a ring and keeps the rests of each credential. */
  #newRing({ credentials, id }: RoutedProvider, before: Ring | undefined): Ring {
    const set = credentials.flatMap(({ source, variable }) => {
      const value = variable === undefined ? undefined : this.#credential(variable);
      return variable !== undefined && value === undefined ? [] : [{ source, value, variable }];
    });
    // Longest first, because one may be the prefix of another.
    const secrets = set.flatMap(({ value }) => value ?? []).sort((one, other) => other.length - one.length);
    const members = set.map(({ source, value, variable }) => {
      const known = before?.members.find(
        (member) => member.credential.variable === variable && member.credential.value === value,
      );
      const credential = { variable, value, source, secrets };
      return { credential, rests: known?.rests ?? new CredentialRests() };
    });
    const ring = { of: credentials, members, next: 0 };
    this.#rings.set(id, ring);
    return ring;
  }
}

function ignored(): void {
  // No callback was given.
}

/** Picks a member if all rest: a limited one before refused ones, then the one whose rest ends first. */
function pickSoonest({ members }: Ring, model: string): Member | undefined {
  const limited = members.filter(({ rests }) => rests.limitEndsMs(model) !== undefined);
  return (limited.length > 0 ? limited : members).toSorted(
    (one, other) => one.rests.endsMs(model) - other.rests.endsMs(model),
  )[0];
}

function concernsCredential(failure: unknown): failure is GatewayError {
  return failure instanceof GatewayError && verdictOf(failure).next.includes('credential');
}

/** Returns true for a stored response that another credential may find. */
function isStoredElsewhere(failure: GatewayError): boolean {
  return verdictOf(failure).credential === undefined;
}

function isLimit(failure: GatewayError): boolean {
  return verdictOf(failure).credential === 'limited';
}

function waitSeconds({ headers }: GatewayError): number {
  return Number(headers['retry-after'] ?? 1);
}
