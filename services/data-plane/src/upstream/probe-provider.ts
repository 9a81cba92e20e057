import { PatientTimer } from '@model-gateway/service-kit';
import type { Pool } from 'undici';
import type { RoutedProvider } from '../catalog/model-table.ts';
import type { HeldCredential } from './fetched-credentials.ts';

/** `refused`: it answers, but does not take our credential. */
export type ProbeOutcome = 'ok' | 'refused' | 'failed';

const TOTAL_MS = 5_000;
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Asks a provider for something that is free, such as its list of models. Any answer but a 5xx says that it
 * is there: some have no such list (404), and some keys may not read it (403). A key that is not valid is a
 * 401, or what the protocol knows of the body. Never throws.
 * @param fetched the credential, where it has to be fetched
 */
export async function probeProvider(
  pool: Pool,
  { protocol, headers: constant, origin, pathPrefix }: RoutedProvider,
  { credential, fetched }: { credential?: string | undefined; fetched?: HeldCredential | undefined },
  stop: AbortSignal,
): Promise<ProbeOutcome> {
  const giveUp = new AbortController();
  const patience = new PatientTimer(TOTAL_MS, () => giveUp.abort());
  const asked = protocol.probe({ constant, credential: fetched === undefined ? credential : undefined });
  const isAnonymous = asked.isAnonymous === true && fetched === undefined;
  const whole = pathPrefix + asked.path;
  try {
    const path = fetched === undefined ? whole : fetched.placed(whole);
    const unproven = { method: 'GET', origin, path, headers: asked.headers, body: undefined };
    const { statusCode, body } = await pool.request({
      method: 'GET',
      path,
      headers: fetched === undefined ? asked.headers : await fetched.prove(unproven),
      signal: AbortSignal.any([stop, giveUp.signal]),
    });
    if (statusCode < 400 || isAnonymous) {
      await body.dump();
      return statusCode >= 500 ? 'failed' : 'ok';
    }
    const details = protocol.refusalDetails?.(await beginningOf(body));
    if (statusCode === 401 || details?.isAccessRefused === true) return 'refused';
    return statusCode >= 500 ? 'failed' : 'ok';
  } catch {
    return 'failed';
  } finally {
    patience.clear();
  }
}

async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    pieces.push(piece);
    size += piece.length;
    if (size > MAX_ERROR_BYTES) break;
  }
  return Buffer.concat(pieces).toString();
}
