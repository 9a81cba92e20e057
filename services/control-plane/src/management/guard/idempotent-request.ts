import { createHash } from 'node:crypto';
import { canonicalJson } from '@model-gateway/shared/canonical-json';
import { z } from 'zod';
import type { ControlPlaneContext } from '../../context.ts';
import type { Claim, StoredClaim } from '../../idempotency/idempotency-store.ts';
import { idempotencyKeyReused } from '../errors/guard-errors.ts';
import { notJson } from '../errors/request-errors.ts';

const sentResponse = z.object({ status: z.number(), body: z.unknown(), etag: z.string().optional() });
/** Response as stored, to be sent again. */
export type SentResponse = z.infer<typeof sentResponse>;

/** Hashes what must be equal in a repeated request. */
export function requestHash(method: string, url: string, body: unknown): string {
  return createHash('sha256')
    .update(`${method} ${url}\n${writeCanonical(body)}`)
    .digest('hex');
}

/** @throws ManagementError 400 for JSON that is nested too deep to be written again */
function writeCanonical(body: unknown): string {
  try {
    return canonicalJson(body);
  } catch (error) {
    throw notJson(error);
  }
}

export function sealResponse(
  { credentialSeals }: ControlPlaneContext,
  claim: Claim,
  response: SentResponse,
): Buffer {
  const [seal] = credentialSeals;
  if (seal === undefined) throw new Error('there is no pepper');
  return seal.seal(nameOf(claim), JSON.stringify(response));
}

/**
 * Returns the response to the first request with this Idempotency-Key; undefined: it is the first.
 * @throws ManagementError 409 idempotency_key_reused
 */
export async function findResponse(
  context: ControlPlaneContext,
  claim: Claim,
): Promise<SentResponse | undefined> {
  const stored = await context.idempotencyStore.find(claim);
  if (stored === undefined) return undefined;
  if (stored.request !== claim.request) throw idempotencyKeyReused();
  return openResponse(context, claim, stored);
}

function openResponse(
  { credentialSeals }: ControlPlaneContext,
  claim: Claim,
  { response }: StoredClaim,
): SentResponse {
  for (const seal of credentialSeals) {
    const text = seal.open(nameOf(claim), response);
    if (text !== undefined) return sentResponse.parse(JSON.parse(text));
  }
  throw new Error('the stored response was sealed with another pepper');
}

function nameOf({ adminKeyId, key }: Claim): string {
  return `idempotency ${adminKeyId} ${key}`;
}
