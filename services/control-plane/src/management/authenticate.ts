import type { IncomingMessage } from 'node:http';
import { clientIp, headerValues, inBackground, requestIdOf } from '@model-gateway/service-kit';
import { adminKeyToken } from '@model-gateway/shared';
import { addressBits, networkMatcher } from '@model-gateway/shared/rules';
import type { Request, Response } from 'express';
import type { AdminKeyActor } from '../actors/actor.ts';
import { adminKeyHashes } from '../admin-keys/admin-key-hash.ts';
import type { ResolvedAdminKey } from '../admin-keys/admin-key-store.ts';
import type { LookupHashes } from '../keys/stored-hashes.ts';
import { accountSuspended, invalidAdminKey, keyOfModels, networkNotAllowed } from './errors/key-errors.ts';
import type { ManagementError } from './errors/management-error.ts';
import type { ManagementContext } from './management-context.ts';

/**
 * Finds the admin key of a request in the database, so that a revoked key is refused at once everywhere.
 * @returns `refusal`: 403, because the key may not be used from here, or its account is suspended
 * @throws ManagementError 401, 429 (failures of the address)
 */
export async function authenticate(
  context: ManagementContext,
  req: Request,
  res: Response,
  way: AdminKeyActor['way'],
): Promise<{ actor: AdminKeyActor; refusal: ManagementError | undefined }> {
  const ip = clientIp(req, context.trustProxy);
  const { rawKey, refusal } = presentedKey(req);
  const hashes = rawKey === undefined ? undefined : adminKeyHashes(context, rawKey);
  const key = hashes && (await resolve(context, ip, hashes));
  if (key === undefined) {
    await context.adminLimits.countFailure(ip, requestIdOf(res));
    throw refusal;
  }
  noteUse(context, key, hashes);
  const { id, name, scopes } = key;
  const requestId = requestIdOf(res);
  const accountId = key.accountId ?? undefined;
  const actor: AdminKeyActor = { type: 'admin_key', way, id, name, accountId, scopes, ip, requestId };
  return { actor, refusal: refusalOf(key, ip) };
}

function refusalOf({ networks, stopped }: ResolvedAdminKey, ip: string): ManagementError | undefined {
  const isAllowed = networks.length === 0 || networkMatcher(networks)(addressBits(ip));
  if (!isAllowed) return networkNotAllowed(ip);
  return stopped ? accountSuspended() : undefined;
}

/** Finds the key under its hash; an address with many failures gets no look-ups of unknown keys. */
async function resolve(
  { adminKeyStore, adminLimits }: ManagementContext,
  ip: string,
  hashes: LookupHashes,
): Promise<ResolvedAdminKey | undefined> {
  adminLimits.requireFewFailures(ip, hashes.lookupHash);
  const key = await adminKeyStore.resolve(hashes);
  if (key !== undefined) adminLimits.noteKnownKey(hashes.lookupHash);
  return key;
}

/** Reads the key from exactly one Authorization header. @returns also the error if that is none */
function presentedKey(req: IncomingMessage): { rawKey: string | undefined; refusal: ManagementError } {
  const [value = '', ...others] = headerValues(req, 'authorization');
  const token = others.length === 0 ? /^bearer +(\S+)$/i.exec(value)?.[1] : undefined;
  const isOfModels = /^(?:bearer +)?gw_live_/i.test(value);
  const refusal = isOfModels ? keyOfModels() : invalidAdminKey();
  return { rawKey: token !== undefined && adminKeyToken.isWellFormed(token) ? token : undefined, refusal };
}

const MINUTE_MS = 60_000;

/** Writes the time of use at most once a minute, and after a change of the pepper. */
function noteUse(
  { adminKeyStore, log }: ManagementContext,
  key: ResolvedAdminKey,
  hashes: LookupHashes | undefined,
): void {
  const lastMs = key.lastUsedAt?.getTime() ?? 0;
  if (hashes === undefined || (Date.now() - lastMs < MINUTE_MS && key.lookupHash === hashes.lookupHash))
    return;
  const noted = adminKeyStore.noteUse(key.id, hashes);
  inBackground(noted.catch((error: unknown) => log.warn({ error }, 'cannot note the use of an admin key')));
}
