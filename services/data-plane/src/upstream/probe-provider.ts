import { PatientTimer } from '@model-gateway/service-kit';
import type { Pool } from 'undici';
import type { RoutedProvider } from '../catalog/model-table.ts';
import type { HeldCredential } from './fetched-credentials.ts';

/** `refused`: it responds, but rejects our credential. */
export type ProbeOutcome = 'ok' | 'refused' | 'failed';

const TOTAL_MS = 5_000;
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Requests something free, such as the model list. Any response but a 5xx means that the provider is up: some
 * lack the list (404), some keys may not read it (403). A 401 is a refusal, and so is an error body by which
 * the protocol recognizes refused access. Never throws.
 * @param fetched set for a credential that is fetched, not read from a variable
 */
export async function probeProvider(
  pool: Pool,
  { protocol, headers: constant, origin, pathPrefix }: RoutedProvider,
  { credential, fetched }: { credential?: string | undefined; fetched?: HeldCredential | undefined },
  stop: AbortSignal,
): Promise<ProbeOutcome> {
  const giveUp = new AbortController();
  const timer = new PatientTimer(TOTAL_MS, () => giveUp.abort());
  const probe = protocol.probe({ constant, credential: fetched === undefined ? credential : undefined });
  const isAnonymous = probe.isAnonymous === true && fetched === undefined;
  try {
    const request = { method: 'GET', origin, path: pathPrefix + probe.path, headers: probe.headers } as const;
    const { path, headers } =
      fetched === undefined ? request : await fetched.authenticate({ ...request, body: undefined });
    const { statusCode, body } = await pool.request({
      method: 'GET',
      path,
      headers,
      signal: AbortSignal.any([stop, giveUp.signal]),
    });
    if (statusCode < 400 || isAnonymous) {
      await body.dump();
      return statusCode >= 500 ? 'failed' : 'ok';
    }
    const details = protocol.errorDetails?.(await readBeginning(body));
    if (statusCode === 401 || details?.isAccessRefused === true) return 'refused';
    return statusCode >= 500 ? 'failed' : 'ok';
  } catch {
    return 'failed';
  } finally {
    timer.clear();
  }
}

async function readBeginning(body: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    pieces.push(piece);
    size += piece.length;
    if (size > MAX_ERROR_BYTES) break;
  }
  return Buffer.concat(pieces).toString();
}
