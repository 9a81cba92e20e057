import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { canonicalJson } from '@model-gateway/shared/canonical-json';
import { z } from 'zod';
import type { ControlPlaneContext } from '../../context.ts';
import type { Claim, StoredClaim } from '../../idempotency/idempotency-store.ts';
import { idempotencyKeyReused, responseUnknown } from '../errors/guard-errors.ts';
import { notJson } from '../errors/request-errors.ts';

const sentResponse = z.object({ status: z.number(), body: z.unknown(), etag: z.string().optional() });
/** A response as it is stored, to be sent again. */
export type SentResponse = z.infer<typeof sentResponse>;
const storedResponse = sentResponse.nullable();

/** How long a repeated request waits for the response to the first. */
const WAIT_MS = 3_000;
const POLL_MS = 50;

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

/** @param response undefined: it is known only after the change */
export function sealResponse(
  { credentialSeals }: ControlPlaneContext,
  claim: Claim,
  response: SentResponse | undefined,
): Buffer {
  const [seal] = credentialSeals;
  if (seal === undefined) throw new Error('there is no pepper');
  return seal.seal(nameOf(claim), JSON.stringify(response ?? null));
}

/**
 * Returns the response to the first request with this Idempotency-Key; undefined: it is the first. Waits
 * while the first has made its change and works out its response.
 * @throws ManagementError 409 idempotency_key_reused, conflict (the response is not known)
 */
export async function findResponse(
  context: ControlPlaneContext,
  claim: Claim,
): Promise<SentResponse | undefined> {
  for (let waitedMs = 0; waitedMs < WAIT_MS; waitedMs += POLL_MS) {
    const stored = await context.idempotencyStore.find(claim);
    if (stored === undefined) return undefined;
    if (stored.request !== claim.request) throw idempotencyKeyReused();
    const response = openResponse(context, claim, stored);
    if (response !== null) return response;
    await sleep(POLL_MS);
  }
  throw responseUnknown();
}

/** @returns null: it was not known when the change was made */
function openResponse(
  { credentialSeals }: ControlPlaneContext,
  claim: Claim,
  { response }: StoredClaim,
): SentResponse | null {
  for (const seal of credentialSeals) {
    const text = seal.open(nameOf(claim), response);
    if (text !== undefined) return storedResponse.parse(JSON.parse(text));
  }
  throw new Error('the stored response was sealed with another pepper');
}

function nameOf({ callerId, key }: Claim): string {
  return `idempotency ${callerId} ${key}`;
}
