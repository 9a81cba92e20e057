import { verdictOf } from '@model-gateway/dialects';
import { GatewayError } from '@model-gateway/shared';
import { providerLimits, withRetryAfter } from '@model-gateway/shared/errors';
import type { AffinityKey } from '../affinity/rendezvous.ts';
import type { RoutedProvider } from '../catalog/model-table.ts';
import type { ProviderAttempt } from './capability-call.ts';
import { CredentialRing, type ProviderCredential, type RingMember } from './credential-ring.ts';
import type { HeldCredential } from './fetched-credentials.ts';

/** Adds the credential that an attempt sends, and the secrets to redact from responses. */
export function withCredential(
  { attempt, call, provider }: Pick<ProviderAttempt, 'attempt' | 'call' | 'provider'>,
  { secrets, source, value }: ProviderCredential,
  fetched: HeldCredential | undefined,
): ProviderAttempt {
  const secret = fetched?.secret;
  return {
    attempt,
    call,
    provider,
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
  /** Key of the conversation, which stays with its credential; undefined: credentials are used in turn. */
  affinity?: AffinityKey | undefined;
  /** @param accepted call this as soon as the provider has accepted the credential */
  attempt(credential: ProviderCredential, accepted: () => void): Promise<Result>;
  accepted?(): void;
  mayRepeat(): boolean;
}

/**
 * Chooses among the credentials of a provider (docs/providers.md, "Several credentials"). One that is refused
 * or limited rests for a while and the request goes on with the next. If all rest, one of them is used.
 */
export class ProviderCredentials {
  readonly #credential: (variable: string) => string | undefined;
  readonly #now: () => number;
  readonly #rings = new Map<string, CredentialRing>();

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
    ring: CredentialRing,
    { accepted, affinity, attempt, mayRepeat, model }: CredentialAttempts<Result>,
  ): Promise<Result> {
    const untried = new Set(ring.members);
    const choose = (mayTest: boolean) => this.#choose(ring, { affinity, untried, model, mayTest });
    const failures: GatewayError[] = [];
    let member: RingMember | undefined = choose(mayRepeat()) ?? ring.soonest(model);
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
        member = choose(true);
        if (isStoredElsewhere(failure)) member ??= untried.values().next().value;
      }
    }
    throw this.#combineFailures(ring, model, failures);
  }

  /** Picks the next member that does not rest. */
  #choose(ring: CredentialRing, { affinity, mayTest, model, untried }: Wanted): RingMember | undefined {
    const nowMs = this.#now();
    for (const member of ring.order(affinity)) {
      if (!untried.has(member)) continue;
      const state = member.rests.stateFor(model, nowMs);
      if (state === 'resting' || (state === 'due' && !mayTest)) continue;
      if (state === 'due') member.rests.test(model, nowMs);
      if (affinity === undefined) ring.taken(member);
      return member;
    }
    return undefined;
  }

  #rest(rests: RingMember['rests'], model: string, failure: GatewayError): void {
    const { credential } = verdictOf(failure);
    if (credential === undefined) return;
    if (credential === 'limited') rests.limited(model, waitSeconds(failure) * 1_000, this.#now());
    else rests.refused(model, credential !== 'refused_for_model', this.#now());
  }

  #combineFailures(
    ring: CredentialRing,
    model: string,
    failures: readonly GatewayError[],
  ): GatewayError | undefined {
    const nowMs = this.#now();
    const waits = ring.members
      .map(({ rests }) => (rests.limitEndsMs(model) ?? nowMs) - nowMs)
      .filter((waitMs) => waitMs > 0);
    const limit = failures.find(isLimit);
    if (waits.length === 0) return limit ?? failures.find(isStoredElsewhere) ?? failures.at(-1);
    const seconds = Math.ceil(Math.min(...waits) / 1_000);
    return limit === undefined ? providerLimits(seconds, failures.at(-1)) : withRetryAfter(limit, seconds);
  }

  #ringOf(provider: RoutedProvider): CredentialRing {
    const ring = this.#rings.get(provider.id);
    if (ring?.of === provider.credentials) return ring;
    const renewed = new CredentialRing(provider, this.#credential, ring);
    this.#rings.set(provider.id, renewed);
    return renewed;
  }
}

/** Bounds the choice of a member. */
interface Wanted {
  affinity: AffinityKey | undefined;
  untried: ReadonlySet<RingMember>;
  model: string;
  /** True to accept a member whose rest is due for a test. */
  mayTest: boolean;
}

function ignored(): void {
  // No callback was given.
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
