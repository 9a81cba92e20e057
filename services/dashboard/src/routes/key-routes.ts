import { CACHE_OFF } from '@model-gateway/shared/rules';
import {
  type CreateKeyResponse,
  createKeyRequest,
  type KeysResponse,
  type RevokeKeyResponse,
  setKeyCacheRequest,
} from '../../wire/keys.ts';
import { seatNotFound } from '../errors/request-errors.ts';
import { parseRequest } from '../http/parse-request.ts';
import { toKeyEntry, toNewKeyEntry } from '../keys/key-entry.ts';
import { toLimitsResponse } from '../limits/limits-response.ts';
import { ownSeats } from '../teams/own-seats.ts';
import { type ApiRoute, holderRoute, pathParameter } from './api-route.ts';

export function keyRoutes(): ApiRoute[] {
  return [
    holderRoute('viewer', 'GET', '/api/limits', async ({ res, accountId, reads }) => {
      res.json(toLimitsResponse(await reads.getHolderLimits({ accountId })));
    }),

    holderRoute('viewer', 'GET', '/api/keys', async ({ res, accountId, reads }) => {
      const [{ keys }, teams] = await Promise.all([
        reads.listHolderKeys({ accountId }),
        reads.listHolderTeams({ accountId }),
      ]);
      const newestFirst = keys.map(toKeyEntry).sort((one, other) => other.createdAtMs - one.createdAtMs);
      const response: KeysResponse = { keys: newestFirst, seats: ownSeats(teams) };
      res.json(response);
    }),

    holderRoute(
      'developer',
      'POST',
      '/api/keys',
      async ({ res, accountId, changes, reads, body }) => {
        const { cache, name, seatId, rules } = parseRequest(createKeyRequest, body);
        // The seat is looked up before the key is created: a failure after that would lose the key.
        const seats = seatId === undefined ? [] : ownSeats(await reads.listHolderTeams({ accountId }));
        const seat = seats.find(({ id }) => id === seatId) ?? null;
        if (seatId !== undefined && seat === null) throw seatNotFound();
        const { key, rawKey } = await changes.createHolderKey({
          name,
          ...(seatId === undefined ? {} : { seatId }),
          ...(rules === undefined ? {} : { rulesJson: JSON.stringify(rules) }),
          ...(cache === undefined ? {} : { cache }),
        });
        if (key === null) throw new Error('the control plane answered without a key');
        const response: CreateKeyResponse = { key: toNewKeyEntry(key, seat), rawKey };
        res.status(201).json(response);
      },
      { needsProof: true },
    ),

    holderRoute('developer', 'POST', '/api/keys/:keyId/cache', async ({ req, res, changes, body }) => {
      const { cache } = parseRequest(setKeyCacheRequest, body);
      await changes.setHolderKeyCache({ keyId: pathParameter(req, 'keyId'), cache: cache ?? CACHE_OFF });
      res.status(204).end();
    }),

    holderRoute(
      'developer',
      'POST',
      '/api/keys/:keyId/revoke',
      async ({ req, res, changes }) => {
        const revoked = await changes.revokeHolderKey({ keyId: pathParameter(req, 'keyId') });
        const response: RevokeKeyResponse = {
          keyId: revoked.key?.id ?? '',
          revokedAtMs: Number(revoked.key?.revokedAtMs),
          refusedEverywhere: revoked.unconfirmedInstances.length === 0,
        };
        res.json(response);
      },
      { isChange: false },
    ),
  ];
}
