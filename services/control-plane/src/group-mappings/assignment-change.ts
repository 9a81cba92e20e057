import type { AccountRole } from '@model-gateway/shared/access';
import type { RecordedChange } from '../audit/record-change.ts';
import type { Assignments } from './group-mappings.ts';

/**
 * Origin of an assignment. Only the same source removes it by itself. `oidc`: the single provider of
 * OIDC_ISSUER; `oidc:NAME`: a provider in OIDC_PROVIDERS.
 */
export type AssignmentSource = 'scim' | 'oidc' | `oidc:${string}`;

/** Id of the provider of OIDC_ISSUER. */
const SINGLE_ID = 'oidc';

/** @param provider id of an OIDC provider */
export function oidcSource(provider: string): AssignmentSource {
  return provider === SINGLE_ID ? 'oidc' : `oidc:${provider}`;
}

/** A person, with the roles and seats that its groups give. */
export interface AssignedPerson {
  /** Proven address, in lower case. */
  email: string;
  name: string;
  /** Account that holds its seats; undefined: it has none yet, and gets no seat. */
  accountId: string | undefined;
  assignments: Assignments;
  /** Lowest role in an account, whatever the groups give; undefined: none. */
  minRole?: { accountId: string; role: AccountRole } | undefined;
}

export interface AppliedAssignments {
  changes: RecordedChange[];
  /** Key revision of the last revoked key; undefined: none was revoked. */
  revision: bigint | undefined;
}

/** Assignments of one source that replace its earlier ones. */
export interface AssignmentChange {
  source: AssignmentSource;
  people: readonly AssignedPerson[];
  targets: Targets;
  onlyAccountId: string | undefined;
}

/** Existing accounts and teams, by the ids and addresses that group mappings use. */
export interface Targets {
  accounts: ReadonlyMap<string, { id: string; email: string }>;
  teamIds: ReadonlySet<string>;
}
