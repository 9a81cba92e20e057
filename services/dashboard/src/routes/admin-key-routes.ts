import type { AdminKeyMessage } from '@model-gateway/contracts';
import { SCOPES_OF_USERS } from '@model-gateway/shared/access';
import {
  type AdminKeyEntry,
  type AdminKeysResponse,
  type CreateAdminKeyResponse,
  createAdminKeyRequest,
} from '../../wire/admin-keys.ts';
import { parseRequest } from '../http/parse-request.ts';
import { type ApiRoute, holderRoute, pathParameter } from './api-route.ts';

const PAGE_LENGTH = 200;

/** Keys of the management API that are bound to the account. */
export function adminKeyRoutes(): ApiRoute[] {
  return [
    holderRoute('admin', 'GET', '/api/admin-keys', async ({ res, reads }) => {
      const { keys } = await reads.listHolderAdminKeys({ limit: PAGE_LENGTH });
      const response: AdminKeysResponse = { keys: keys.map(toEntry), grantable: [...SCOPES_OF_USERS] };
      res.json(response);
    }),

    holderRoute(
      'admin',
      'POST',
      '/api/admin-keys',
      async ({ res, changes, body }) => {
        const { expiresAtMs, ...request } = parseRequest(createAdminKeyRequest, body);
        const ends = expiresAtMs === undefined ? {} : { expiresAtMs: String(expiresAtMs) };
        const { key, rawKey } = await changes.createHolderAdminKey({ ...request, ...ends });
        if (key === null) throw new Error('the control plane answered without a key');
        const response: CreateAdminKeyResponse = { key: toEntry(key), rawKey };
        res.status(201).json(response);
      },
      { needsProof: true },
    ),

    holderRoute(
      'admin',
      'POST',
      '/api/admin-keys/:keyId/revoke',
      async ({ req, res, changes }) => {
        await changes.revokeHolderAdminKey({ id: pathParameter(req, 'keyId') });
        res.status(204).end();
      },
      { isChange: false },
    ),
  ];
}

function toEntry(key: AdminKeyMessage): AdminKeyEntry {
  const timeOf = (ms: unknown) => (ms === undefined ? null : Number(ms));
  return {
    id: key.id,
    name: key.name,
    displayPrefix: key.displayPrefix,
    scopes: key.scopes,
    networks: key.networks,
    createdAtMs: Number(key.createdAtMs),
    expiresAtMs: timeOf(key.expiresAtMs),
    revokedAtMs: timeOf(key.revokedAtMs),
    lastUsedAtMs: timeOf(key.lastUsedAtMs),
  };
}
