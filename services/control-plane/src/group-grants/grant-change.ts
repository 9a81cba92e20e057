import type { AccountRole } from '@model-gateway/shared/access';
import type { RecordedChange } from '../audit/record-change.ts';
import type { Grants } from './group-grants.ts';

/** Only the source that gave something takes it away again. */
export type GrantSource = 'oidc' | 'scim';

/** A person whose groups may have changed. */
export interface GrantedPerson {
  /** Proven address, in lower case. */
  email: string;
  name: string;
  /** Account that holds its seats; undefined: it has none yet, and gets no seat. */
  accountId: string | undefined;
  grants: Grants;
  /** Role that it has in an account whatever its groups are; undefined: none. */
  least?: { accountId: string; role: AccountRole } | undefined;
}

export interface AppliedGrants {
  changes: RecordedChange[];
  /** Of the last revoked key. */
  revision: bigint | undefined;
}

/** What a change of groups is about. */
export interface GrantChange {
  source: GrantSource;
  people: readonly GrantedPerson[];
  targets: Targets;
  onlyAccountId: string | undefined;
}

/** Accounts and teams that exist, by the names that grants have for them. */
export interface Targets {
  accounts: ReadonlyMap<string, { id: string; email: string }>;
  teamIds: ReadonlySet<string>;
}
