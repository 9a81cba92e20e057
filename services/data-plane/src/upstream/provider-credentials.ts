import { verdictOf } from '@model-gateway/dialects';
import { GatewayError } from '@model-gateway/shared';
import { providerLimits, withRetryAfter } from '@model-gateway/shared/errors';
import type { RoutedCredential, RoutedProvider } from '../catalog/model-table.ts';
import type { CredentialSource } from '../credential-sources/fetched-credential.ts';
import { CredentialRests } from './credential-rests.ts';
import type { HeldCredential } from './fetched-credentials.ts';

export interface ProviderCredential {
  /** The environment variable that holds it; undefined: none is named. */
  variable: string | undefined;
  /** Undefined: none is sent, or it has to be fetched. */
  value: string | undefined;
  /** Where it comes from, where that has to be fetched. */
  source: CredentialSource | undefined;
  /** The values of all credentials of the provider: none of them may stand in an answer. */
  secrets: readonly string[];
}

/** Returns what an attempt sends, and what must appear in no response to it. */
export function sentAs({ secrets, source, value }: ProviderCredential, fetched: HeldCredential | undefined) {
  const secret = fetched?.secret;
  return {
    credential: secret ?? value,
    fetched,
    source: source?.name,
    secrets: secret === undefined ? secrets : [secret, ...secrets],
  };
}

/** `missing`: its variable is not set; `limited` and `refused`: it rests, for one model at least. */
export type CredentialState = 'usable' | 'limited' | 'refused' | 'missing';

/** A call that is tried with one credential after the other. */
export interface InTurn<Result> {
  provider: RoutedProvider;
  model: string;
  /** @param accepted to be called as soon as the provider has taken the credential */
  attempt(credential: ProviderCredential, accepted: () => void): Promise<Result>;
  accepted?(): void;
  /** Returns true if the request can be sent once more at this moment. */
  mayRepeat(): boolean;
}

interface Member {
  credential: ProviderCredential;
  rests: CredentialRests;
}

interface Ring {
  of: readonly RoutedCredential[];
  members: readonly Member[];
  /** The place of the one whose turn it is. */
  next: number;
}

/**
 * Uses the credentials of a provider in turn (docs/providers.md, "Several credentials"). One that the
 * provider refuses or limits is left alone for a while, and the request goes on with the next one. What rests
 * is only put last: where all do, one of them is used, as where there is no other.
 */
export class ProviderCredentials {
  readonly #credential: (variable: string) => string | undefined;
  readonly #now: () => number;
  readonly #rings = new Map<string, Ring>();

  /**
   * @param credential the value of a variable
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
   * Makes an attempt with the credential whose turn it is, and while it is refused, limited, or does not find
   * what it should, one with each of the others. No retry budget is needed: a credential that was refused
   * rests, and so is tried again by few.
   * @throws what the attempt throws; where all are refused, that a limit ends comes first, with the shortest
   *   wait
   */
  inTurn<Result>(asked: InTurn<Result>): Promise<Result> {
    const ring = this.#ringOf(asked.provider);
    const [only, second] = ring.members;
    if (only === undefined) return Promise.reject(new Error(`${asked.provider.id} has no credential here`));
    return second === undefined
      ? asked.attempt(only.credential, asked.accepted ?? ignored)
      : this.#oneAfterTheOther(ring, asked);
  }

  /** Forgets providers that the catalog no longer has. */
  keepOnly(providerIds: ReadonlyMap<string, unknown>): void {
    for (const id of this.#rings.keys()) if (!providerIds.has(id)) this.#rings.delete(id);
  }

  async #oneAfterTheOther<Result>(
    ring: Ring,
    { accepted, attempt, mayRepeat, model }: InTurn<Result>,
  ): Promise<Result> {
    const left = new Set(ring.members);
    const failures: GatewayError[] = [];
    let member: Member | undefined = this.#choose(ring, left, model, mayRepeat()) ?? soonest(ring, model);
    while (member !== undefined) {
      const { credential, rests } = member;
      left.delete(member);
      const startedAtMs = this.#now();
      try {
        return await attempt(credential, () => {
          rests.accepted(model, startedAtMs);
          accepted?.();
        });
      } catch (failure) {
        if (!concernsCredential(failure)) throw failure;
        this.#note(rests, model, failure);
        failures.push(failure);
        if (!mayRepeat()) break;
        member = this.#choose(ring, left, model, true);
        if (isKeptElsewhere(failure)) member ??= left.values().next().value;
      }
    }
    throw this.#together(ring, model, failures);
  }

  /** The next one that does not rest. @param mayTest true if one that may be refused still is to be tried */
  #choose(ring: Ring, left: ReadonlySet<Member>, model: string, mayTest: boolean): Member | undefined {
    const { members } = ring;
    const nowMs = this.#now();
    for (let step = 0; step < members.length; step++) {
      const place = (ring.next + step) % members.length;
      const member = members[place];
      if (member === undefined || !left.has(member)) continue;
      const state = member.rests.stateFor(model, nowMs);
      if (state === 'resting' || (state === 'due' && !mayTest)) continue;
      if (state === 'due') member.rests.test(model, nowMs);
      ring.next = (place + 1) % members.length;
      return member;
    }
    return undefined;
  }

  #note(rests: CredentialRests, model: string, failure: GatewayError): void {
    const { credential } = verdictOf(failure);
    if (credential === undefined) return;
    if (credential === 'limited') rests.limited(model, waitSeconds(failure) * 1_000, this.#now());
    else rests.refused(model, credential !== 'refused_for_model', this.#now());
  }

  /** Combines the failures of all credentials; the last one ended the attempts. */
  #together(ring: Ring, model: string, failures: readonly GatewayError[]): GatewayError | undefined {
    const nowMs = this.#now();
    const waits = ring.members
      .map(({ rests }) => (rests.limitEndsMs(model) ?? nowMs) - nowMs)
      .filter((waitMs) => waitMs > 0);
    const limit = failures.find(isLimit);
    if (waits.length === 0) return limit ?? failures.find(isKeptElsewhere) ?? failures.at(-1);
    const seconds = Math.ceil(Math.min(...waits) / 1_000);
    return limit === undefined ? providerLimits(seconds, failures.at(-1)) : withRetryAfter(limit, seconds);
  }

  #ringOf(provider: RoutedProvider): Ring {
    const ring = this.#rings.get(provider.id);
    return ring?.of === provider.credentials ? ring : this.#newRing(provider, ring);
  }

  /** Keeps the state of each credential when anything else of its provider changes. */
  #newRing({ credentials, id }: RoutedProvider, before: Ring | undefined): Ring {
    const set = credentials.flatMap(({ source, variable }) => {
      const value = variable === undefined ? undefined : this.#credential(variable);
      return variable !== undefined && value === undefined ? [] : [{ source, value, variable }];
    });
    // The longest first: another one may be how it begins.
    const secrets = set.flatMap(({ value }) => value ?? []).sort((one, other) => other.length - one.length);
    const members = set.map(({ source, value, variable }) => {
      const known = before?.members.find((member) => member.credential.variable === variable);
      const credential = { variable, value, source, secrets };
      return { credential, rests: known?.rests ?? new CredentialRests() };
    });
    const ring = { of: credentials, members, next: 0 };
    this.#rings.set(id, ring);
    return ring;
  }
}

function ignored(): void {
  // Nobody has asked.
}

/**
 * Where all rest: one that is only limited, else one that is refused; of these the one whose rest ends first.
 */
function soonest({ members }: Ring, model: string): Member | undefined {
  const limited = members.filter(({ rests }) => rests.limitEndsMs(model) !== undefined);
  return (limited.length > 0 ? limited : members).toSorted(
    (one, other) => one.rests.endsMs(model) - other.rests.endsMs(model),
  )[0];
}

function concernsCredential(failure: unknown): failure is GatewayError {
  return failure instanceof GatewayError && verdictOf(failure).next.includes('credential');
}

/** Returns true for a stored response that only the credential of another account can find. */
function isKeptElsewhere(failure: GatewayError): boolean {
  return verdictOf(failure).credential === undefined;
}

function isLimit(failure: GatewayError): boolean {
  return verdictOf(failure).credential === 'limited';
}

function waitSeconds({ headers }: GatewayError): number {
  return Number(headers['retry-after'] ?? 1);
}
