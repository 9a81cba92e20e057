import { adminKeyToken, displayPrefix, newId } from '@model-gateway/shared';
import { includesScope, SCOPES_OF_USERS, type Scope, scope } from '@model-gateway/shared/access';
import { network, networkPrefix } from '@model-gateway/shared/rules';
import { z } from 'zod';
import type { AccountStore } from '../accounts/account-store.ts';
import type { Actor } from '../actors/actor.ts';
import { invalidArgument, notFound, permissionDenied } from '../errors/control-plane-error.ts';
import { requireFuture } from '../keys/require-future.ts';
import type { Peppers } from '../keys/stored-hashes.ts';
import { adminKeyHashes } from './admin-key-hash.ts';
import type { AdminKeyStore } from './admin-key-store.ts';
import type { StoredAdminKey } from './stored-admin-key.ts';

export interface CreateAdminKeyContext extends Peppers {
  accountStore: Pick<AccountStore, 'requireNotDeleted'>;
  adminKeyStore: Pick<AdminKeyStore, 'create' | 'find'>;
}

export interface NewAdminKeyRequest {
  name: string;
  scopes: readonly string[];
  /** Id or e-mail address of the account to which it is bound; undefined: none. */
  account?: string | undefined;
  /** CIDRs or addresses of callers; empty: any. */
  networks?: readonly string[] | undefined;
  /** Unix milliseconds; undefined: never. */
  expiresAtMs?: number | undefined;
  /** Undefined: a new one. */
  rawKey?: string | undefined;
}

const MAX_NAME_LENGTH = 200;
const MAX_NETWORKS = 200;

/**
 * Issues a key of the management API; stores only its hash and display prefix. A key can issue keys with at
 * most its own scopes, account, networks and validity.
 * @throws ControlPlaneError invalid_argument, not_found, failed_precondition (deleted account),
 *   permission_denied (more than the caller has)
 */
export async function createAdminKey(
  context: CreateAdminKeyContext,
  actor: Actor,
  request: NewAdminKeyRequest,
): Promise<{ key: StoredAdminKey; rawKey: string }> {
  const { expiresAtMs, rawKey = adminKeyToken.generate() } = request;
  const limits = await limitsOf(context, actor);
  const wanted = {
    name: requireName(request.name),
    scopes: requireScopes(request.scopes),
    networks: requireNetworks(request.networks ?? []),
    expiresAt: expiresAtMs === undefined ? null : requireFuture(expiresAtMs),
    accountId: await boundAccount(context, limits, request.account),
  };
  const key = limits === undefined ? wanted : restrict(wanted, limits);
  const id = newId('adm');
  const stored = { id, ...key, ...adminKeyHashes(context, rawKey), displayPrefix: displayPrefix(rawKey) };
  return { key: await context.adminKeyStore.create(actor, stored), rawKey };
}

interface KeyLimits {
  scopes: Scope[];
  networks: string[];
  expiresAt: Date | null;
  accountId: string | null;
}

const NO_LIMITS = { networks: [], expiresAt: null, accountId: null };

/** Returns the limits of keys that the caller creates; undefined: none. */
async function limitsOf(
  { adminKeyStore }: Pick<CreateAdminKeyContext, 'adminKeyStore'>,
  actor: Actor,
): Promise<KeyLimits | undefined> {
  if (actor.type === 'operator_token') return undefined;
  if (actor.type === 'console_user') return { ...NO_LIMITS, scopes: [...actor.scopes] };
  if (actor.type === 'user')
    return { ...NO_LIMITS, scopes: [...SCOPES_OF_USERS], accountId: actor.accountId };
  const key = actor.type === 'admin_key' ? await adminKeyStore.find(actor.id) : null;
  if (key === null) throw permissionDenied('only operators, users and admin keys create admin keys');
  return key;
}

async function boundAccount(
  { accountStore }: Pick<CreateAdminKeyContext, 'accountStore'>,
  limits: KeyLimits | undefined,
  requested: string | undefined,
): Promise<string | null> {
  const own = limits?.accountId ?? null;
  if (requested === undefined || requested === own) return own;
  const { id } = await accountStore.requireNotDeleted(requested);
  if (own !== null && id !== own) throw notFound(`there is no account ${requested}`);
  return id;
}

/** @throws ControlPlaneError permission_denied */
function restrict<Key extends KeyLimits>(key: Key, limits: KeyLimits): Key {
  const excess = key.scopes.find((each) => !includesScope(limits.scopes, each));
  if (excess !== undefined)
    throw permissionDenied(
      `you do not have the scope ${excess}, so you cannot give it to a key: leave it out`,
    );
  const foreign = key.networks.find((each) => !isWithin(each, limits.networks));
  if (foreign !== undefined)
    throw permissionDenied(`the network ${foreign} is outside of those of your own key: choose one of these`);
  const { expiresAt } = limits;
  if (expiresAt !== null && key.expiresAt !== null && key.expiresAt > expiresAt)
    throw permissionDenied(
      'a key cannot be valid for longer than the key that creates it: choose an earlier expiry',
    );
  return {
    ...key,
    networks: key.networks.length === 0 ? limits.networks : key.networks,
    expiresAt: key.expiresAt ?? expiresAt,
  };
}

function isWithin(text: string, networks: readonly string[]): boolean {
  const prefix = networkPrefix(text);
  return networks.length === 0 || networks.some((each) => prefix.startsWith(networkPrefix(each)));
}

function requireName(text: string): string {
  const name = text.trim();
  if (name.length >= 1 && name.length <= MAX_NAME_LENGTH) return name;
  throw invalidArgument(`an admin key needs a name of 1 to ${MAX_NAME_LENGTH} characters`);
}

function requireScopes(given: readonly string[]): Scope[] {
  const parsed = z
    .array(scope)
    .min(1, 'an admin key needs at least one scope')
    .safeParse([...given]);
  if (parsed.success) return [...new Set(parsed.data)];
  throw invalidArgument(`scopes: ${parsed.error.issues[0]?.message ?? 'are not valid'}`);
}

function requireNetworks(given: readonly string[]): string[] {
  if (given.length > MAX_NETWORKS)
    throw invalidArgument(`networks: must have at most ${MAX_NETWORKS} entries`);
  const wrong = given.find((each) => !network.safeParse(each).success);
  if (wrong === undefined) return [...new Set(given)];
  throw invalidArgument(`networks: must be networks such as "10.0.0.0/8" or "2001:db8::/32", not "${wrong}"`);
}
