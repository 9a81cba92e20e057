import { type AdminProof, NONCE_BYTES } from '@model-gateway/contracts';
import type { DatabaseEpoch } from '../database/database-epoch.ts';
import { invalidArgument } from '../errors/control-plane-error.ts';

/**
 * Proves to anybody that this control plane has ADMIN_TOKEN, as cheaply as refusing a call and without the
 * database. A rate limit would let a stranger lock operators out.
 * @throws ControlPlaneError when the nonce has another length
 */
export function proveServer(
  { adminProof, databaseEpoch }: { adminProof: AdminProof; databaseEpoch: DatabaseEpoch },
  nonce: Buffer,
) {
  if (nonce.length !== NONCE_BYTES) throw invalidArgument(`nonce: expected ${NONCE_BYTES} random bytes`);
  const statement = { timeMs: Date.now(), installation: databaseEpoch.current ?? '' };
  return { ...statement, proof: adminProof.proveServer(nonce, statement) };
}
