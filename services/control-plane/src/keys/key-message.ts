import type { StoredKey } from './key-store.ts';

/** A key as gRPC carries it (proto/gateway/v1/accounts.proto); never the raw one. */
export function keyMessage(key: StoredKey) {
  return {
    id: key.id,
    accountId: key.accountId,
    ...(key.seatId === null ? {} : { seatId: key.seatId }),
    name: key.name,
    displayPrefix: key.displayPrefix,
    kind: key.kind,
    createdAtMs: key.createdAt.getTime(),
    ...(key.revokedAt === null ? {} : { revokedAtMs: key.revokedAt.getTime() }),
  };
}
