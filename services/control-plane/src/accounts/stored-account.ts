import type { OwnLimits } from './effective-limits.ts';

export interface StoredAccount extends OwnLimits {
  id: string;
  email: string;
  name: string;
  createdAt: Date;
  /** Null when nobody has proven the e-mail address, and no operator has vouched for it. */
  emailVerifiedAt: Date | null;
  /** True when the account gets its included money only after its address is proven. */
  signupPoolDue: boolean;
  suspendedAt: Date | null;
  /** Reason why its owner cannot sign in, such as `scim`. */
  stoppedBy: string | null;
  /** Null when the account is not deleted. A deleted account has a made-up e-mail address and name. */
  deletedAt: Date | null;
  /** Calendar of its budgets. */
  timezone: string;
  weekStarts: string;
  /** Id of the account in a system of the operator. */
  externalId: string | null;
  /** True if its owners get mail when a pool or budget is used up to 80 or 100 %. */
  thresholdMails: boolean;
  /** Price list by which its requests are charged; null: the default one. */
  priceListId: string | null;
}
