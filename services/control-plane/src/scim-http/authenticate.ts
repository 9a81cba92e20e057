import { clientIp, headerValues, inBackground, requestIdOf } from '@model-gateway/service-kit';
import type { Request, Response } from 'express';
import type { ScimActor } from '../actors/actor.ts';
import { type Directory, directoryOf } from '../scim/directory.ts';
import { ScimError } from '../scim/scim-error.ts';
import { scimToken, scimTokenHashes } from '../scim/tokens/token-hash.ts';
import type { ScimContext } from './scim-context.ts';

export interface Provider {
  actor: ScimActor;
  directory: Directory;
}

const MINUTE_MS = 60_000;

/**
 * Finds the token of a request in the database, so that a revoked one is refused at once everywhere.
 * @throws ScimError 401; ManagementError 429 (requests of the token, failures of the address)
 */
export async function authenticate(context: ScimContext, req: Request, res: Response): Promise<Provider> {
  const { scimLimits, scimTokenStore } = context;
  const ip = clientIp(req, context.trustProxy);
  const raw = presentedToken(req);
  const hashes = raw === undefined ? undefined : scimTokenHashes(context, raw);
  if (hashes !== undefined) scimLimits.requireFewFailures(ip, hashes.lookupHash);
  const token = hashes && (await scimTokenStore.resolve(hashes));
  if (token === undefined || hashes === undefined) {
    noteDenied(context, req, res, ip);
    await scimLimits.countFailure(ip, requestIdOf(res));
    throw new ScimError(
      401,
      'send a token of gatewayctl scim-tokens create as "Authorization: Bearer gw_scim_…"',
    );
  }
  scimLimits.noteKnownKey(hashes.lookupHash);
  if (!token.isCurrentHash || Date.now() - (token.lastUsedAt?.getTime() ?? 0) >= MINUTE_MS) {
    const noted = scimTokenStore.noteUse(token.id, hashes);
    inBackground(noted.catch((error) => context.log.warn({ error }, 'cannot note the use of a SCIM token')));
  }
  res.set(await scimLimits.countRequest(token.id, requestIdOf(res)));
  const { id, name } = token;
  return {
    actor: { type: 'scim', way: 'scim', id, name, ip, requestId: requestIdOf(res) },
    directory: directoryOf(token),
  };
}

/** Notes a request without a valid token in the audit log. */
function noteDenied({ deniedAttempts }: ScimContext, req: Request, res: Response, ip: string): void {
  deniedAttempts.note({
    actor: { type: 'scim', id: null, email: null },
    way: 'scim',
    action: 'call.denied',
    object: { type: 'route', id: `${req.method} ${req.baseUrl}${req.route.path}`, name: 'SCIM' },
    accountId: null,
    ip,
    requestId: requestIdOf(res),
  });
}

/** Reads the token from exactly one Authorization header; undefined without one that is well formed. */
function presentedToken(req: Request): string | undefined {
  const [value = '', ...others] = headerValues(req, 'authorization');
  const token = others.length === 0 ? /^bearer +(\S+)$/i.exec(value)?.[1] : undefined;
  return token !== undefined && scimToken.isWellFormed(token) ? token : undefined;
}
