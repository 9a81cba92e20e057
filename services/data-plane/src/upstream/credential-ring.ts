import { type AffinityKey, rankMembers } from '../affinity/rendezvous.ts';
import type { RoutedCredential, RoutedProvider } from '../catalog/model-table.ts';
import type { CredentialSource } from '../credential-sources/fetched-credential.ts';
import { CredentialRests } from './credential-rests.ts';

export interface ProviderCredential {
  variable: string | undefined;
  /** Undefined: none is sent, or it has to be fetched. */
  value: string | undefined;
  /** Set for a credential that has to be fetched. */
  source: CredentialSource | undefined;
  /** Values of all credentials of the provider, which must appear in no response. */
  secrets: readonly string[];
}

export interface RingMember {
  credential: ProviderCredential;
  rests: CredentialRests;
  weight: number;
  /** Turn up to which the member has had its share. */
  servedUntil: number;
}

/** Orders the credentials of a provider that are set, for each request. */
export class CredentialRing {
  /** Credentials in the catalog that the ring was built for; empty: the next use builds a new one. */
  of: readonly RoutedCredential[];
  readonly members: readonly RingMember[];
  #turn = 0;
  #next = 0;

  /** @param before the ring that this one replaces, whose members keep their rests */
  constructor(
    { credentials }: RoutedProvider,
    secretOf: (variable: string) => string | undefined,
    before: CredentialRing | undefined,
  ) {
    const set = credentials.flatMap(({ source, variable, weight }) => {
      const value = variable === undefined ? undefined : secretOf(variable);
      return variable !== undefined && value === undefined ? [] : [{ source, value, variable, weight }];
    });
    // Longest first, because one may be the prefix of another.
    const secrets = set.flatMap(({ value }) => value ?? []).sort((one, other) => other.length - one.length);
    this.of = credentials;
    this.members = set.map(({ source, value, variable, weight }) => {
      const known = before?.members.find(
        ({ credential }) => credential.variable === variable && credential.value === value,
      );
      const credential = { variable, value, source, secrets };
      return { credential, rests: known?.rests ?? new CredentialRests(), weight, servedUntil: 0 };
    });
  }

  /** Returns the members in the order that a conversation prefers; without a conversation, in turn. */
  order(affinity: AffinityKey | undefined): readonly RingMember[] {
    if (affinity !== undefined)
      return rankMembers(this.members, affinity, ({ credential }) => credential.variable ?? '');
    const rotated = [...this.members.slice(this.#next), ...this.members.slice(0, this.#next)];
    return rotated.sort((one, other) => this.#turnOf(one) - this.#turnOf(other));
  }

  /** Records the turn of a member, for a request without a conversation. Turns follow the weights. */
  taken(member: RingMember): void {
    this.#turn = this.#turnOf(member);
    member.servedUntil = this.#turn + 1 / member.weight;
    this.#next = (this.members.indexOf(member) + 1) % this.members.length;
  }

  /** Picks a member if all rest: a limited one before refused ones, then the one whose rest ends first. */
  soonest(model: string): RingMember | undefined {
    const limited = this.members.filter(({ rests }) => rests.limitEndsMs(model) !== undefined);
    return (limited.length > 0 ? limited : this.members).toSorted(
      (one, other) => one.rests.endsMs(model) - other.rests.endsMs(model),
    )[0];
  }

  /** Returns the next turn of a member. After a rest, it does not catch up on missed turns. */
  #turnOf({ servedUntil }: RingMember): number {
    return Math.max(this.#turn, servedUntil);
  }
}
