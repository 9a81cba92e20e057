import { createHash } from 'node:crypto';
import { canonicalJson } from '@model-gateway/shared/canonical-json';
import { z } from 'zod';
import type { ControlPlaneContext } from '../../context.ts';
import type { Claim, StoredClaim } from '../../idempotency/idempotency-store.ts';
import { idempotencyKeyReused } from '../errors/guard-errors.ts';

const sentAnswer = z.object({ status: z.number(), body: z.unknown(), etag: z.string().optional() });
/** An answer as it is stored, to be sent again. */
export type SentAnswer = z.infer<typeof sentAnswer>;

/** Hashes what must be equal in a repeated request. */
export function requestHash(method: string, url: string, body: unknown): string {
  return createHash('sha256')
    .update(`${method} ${url}\n${canonicalJson(body)}`)
    .digest('hex');
}

export function sealAnswer(
  { credentialSeals }: ControlPlaneContext,
  claim: Claim,
  answer: SentAnswer,
): Buffer {
  const [seal] = credentialSeals;
  if (seal === undefined) throw new Error('there is no pepper');
  return seal.seal(nameOf(claim), JSON.stringify(answer));
}

/**
 * Returns the answer to the first request with this Idempotency-Key; undefined: it is the first.
 * @throws ManagementError 409 idempotency_key_reused
 */
export async function findAnswer(
  context: ControlPlaneContext,
  claim: Claim,
): Promise<SentAnswer | undefined> {
  const stored = await context.idempotencyStore.find(claim);
  if (stored === undefined) return undefined;
  if (stored.request !== claim.request) throw idempotencyKeyReused();
  return openAnswer(context, claim, stored);
}

function openAnswer(
  { credentialSeals }: ControlPlaneContext,
  claim: Claim,
  { answer }: StoredClaim,
): SentAnswer {
  for (const seal of credentialSeals) {
    const text = seal.open(nameOf(claim), answer);
    if (text !== undefined) return sentAnswer.parse(JSON.parse(text));
  }
  throw new Error('the answer was sealed with another pepper');
}

function nameOf({ adminKeyId, key }: Claim): string {
  return `idempotency ${adminKeyId} ${key}`;
}
