import type { EndUserRulesMessage, KeyContextMessage, KeyOwnerMessage } from '@model-gateway/contracts';
import type { Payer } from '@model-gateway/shared';
import {
  type CacheDirectives,
  type EffectiveRules,
  parseCacheDirectives,
  type Tags,
} from '@model-gateway/shared/rules';
import { rulesFromMessage } from './rules-from-message.ts';

export interface KeyContext {
  keyId: string;
  accountId: string;
  seatId: string | undefined;
  teamId: string | undefined;
  payer: Payer;
  /** Expiry in Unix milliseconds; undefined: never. */
  expiresAtMs: number | undefined;
  limits: {
    freePerMinute: number;
    paidPerMinute: number;
    readsPerMinute: number;
    concurrentStreams: number;
    /** Limit of all keys of the team together; undefined for a key without a seat. */
    teamPerMinute: number | undefined;
  };
  /** Rules of the key and the levels above it; undefined: none has any. */
  rules: EffectiveRules | undefined;
  /** The key's own tags, which callers cannot override. */
  tags: Tags;
  /** Rules of end users of the account; undefined: there are none. */
  endUsers: EndUserRules | undefined;
  /** Key under which contents are stored; undefined: the account's owner has not turned that on. */
  contentsKeyId: string | undefined;
  /** Price list of the account that pays; undefined: the default one. */
  priceListId: string | undefined;
  /** For requests without `x-gateway-cache`; undefined: they do not use the cache. */
  cache: CacheDirectives | undefined;
}

export interface EndUserRules {
  /** Rules of end users without own ones. */
  template: EffectiveRules | undefined;
  /** Above 0: some have own rules. Changes whenever these do. */
  version: number;
}

/** A key as control planes send it; earlier releases send no rules. */
type ReceivedKey = Omit<KeyContextMessage, 'rules' | 'tags' | 'endUsers'> &
  Partial<Pick<KeyContextMessage, 'rules' | 'tags' | 'endUsers'>>;

export function keyContextFromMessage(message: ReceivedKey): KeyContext {
  const limits = message.limits;
  if (limits === null) throw new Error('the control plane sent a key without limits');
  return {
    keyId: message.keyId,
    accountId: message.accountId,
    seatId: message.seatId,
    teamId: message.teamId,
    payer: message.payer,
    expiresAtMs: message.expiresAtMs === undefined ? undefined : Number(message.expiresAtMs),
    limits: {
      freePerMinute: limits.freePerMinute,
      paidPerMinute: limits.paidPerMinute,
      readsPerMinute: limits.readsPerMinute,
      concurrentStreams: limits.concurrentStreams,
      teamPerMinute: limits.teamPerMinute,
    },
    rules: message.rules ? rulesFromMessage(message.rules) : undefined,
    tags: message.tags ?? {},
    endUsers: message.endUsers ? endUsersFromMessage(message.endUsers) : undefined,
    contentsKeyId: message.contentsKeyId,
    priceListId: message.priceListId,
    // Those of a later release may be unknown here.
    cache: message.cache === undefined ? undefined : parseCacheDirectives(message.cache),
  };
}

function endUsersFromMessage({ template, version }: EndUserRulesMessage): EndUserRules {
  return { template: template ? rulesFromMessage(template) : undefined, version };
}

/** Returns the team or account that pays for the requests of a key, also for free ones. */
export function payerIdOf({ accountId, teamId }: Pick<KeyContext, 'accountId' | 'teamId'>): string {
  return teamId === undefined ? accountId : `${accountId}/${teamId}`;
}

/** Returns the account of a payer. Its owner can create any number of teams. */
export function accountOfPayer(payerId: string): string {
  const end = payerId.indexOf('/');
  return end === -1 ? payerId : payerId.slice(0, end);
}

/** Returns the owner of a key for messages to the control plane. */
export function keyOwner({ accountId, seatId, teamId }: KeyContext): KeyOwnerMessage {
  return {
    accountId,
    ...(seatId === undefined ? {} : { seatId }),
    ...(teamId === undefined ? {} : { teamId }),
  };
}
