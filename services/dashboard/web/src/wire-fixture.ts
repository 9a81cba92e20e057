import type { KeyEntry } from '../../wire/keys.ts';
import type { ModelsResponse } from '../../wire/status.ts';
import type { SeatEntry, Team } from '../../wire/teams.ts';
import type { Pool } from '../../wire/usage.ts';

/** Returns a key, active and unused unless `changes` says otherwise. */
export function buildKey(changes: Partial<KeyEntry> = {}): KeyEntry {
  return {
    id: 'key_1',
    name: 'Key',
    displayPrefix: 'gw_live_01234567',
    kind: 'issued',
    createdAtMs: 1,
    lastUsedAtMs: null,
    requestsThisMonth: 0,
    revokedAtMs: null,
    seat: null,
    tags: {},
    cache: null,
    ...changes,
  };
}

/** Returns a paid chat model of "acme" without prices unless `changes` says otherwise. */
export function buildModel(
  id: string,
  changes: Partial<ModelsResponse['data'][number]> = {},
): ModelsResponse['data'][number] {
  return {
    id,
    object: 'model',
    created: 0,
    owned_by: 'acme',
    name: id,
    description: '',
    capability: 'chat',
    tier: 'paid',
    context_length: null,
    max_output_tokens: null,
    input_modalities: ['text'],
    output_modalities: ['text'],
    pricing: {},
    endpoints: [],
    status: 'operational',
    ...changes,
  };
}

/** Returns a pool of $5, full and of an account unless `changes` says otherwise. */
export function buildPool(changes: Partial<Pool> = {}): Pool {
  return {
    id: 'pool_1',
    name: 'Budget',
    scope: 'account',
    ownerId: 'acct_1',
    includedUsd: '5',
    usedUsd: '0',
    leftUsd: '5',
    heldUsd: '0',
    remainingUsd: '5',
    resetsAtMs: null,
    expiresAtMs: null,
    ...changes,
  };
}

/** Returns a seat of somebody else, without keys, unless `changes` says otherwise. */
export function buildSeat(changes: Partial<SeatEntry> = {}): SeatEntry {
  return {
    id: 'seat_1',
    email: 'ada@example.com',
    isOwn: false,
    createdAtMs: 1,
    activeKeys: 0,
    requestsThisMonth: 0,
    costThisMonthUsd: '0',
    ...changes,
  };
}

/** Returns an empty team of the account unless `changes` says otherwise. */
export function buildTeam(changes: Partial<Team> = {}): Team {
  return {
    id: 'team_1',
    name: 'Search',
    role: 'owner',
    requestsPerMinute: 60,
    createdAtMs: 1,
    pools: [],
    seats: [],
    invitations: [],
    ...changes,
  };
}
