import { inBackground, type Logger } from '@model-gateway/service-kit';
import type { HolderSession } from '../sign-in/holder-session.ts';
import type { SessionStore } from '../sign-in/session-store.ts';

/** Writes at most this often: a page sends many requests. */
const INTERVAL_MS = 5 * 60_000;

/** Records that a session is in use, without making its request wait. */
export function noteUse(
  { sessionStore, log }: { sessionStore: Pick<SessionStore, 'use'>; log: Logger },
  { id, usedAt }: Pick<HolderSession, 'id' | 'usedAt'>,
): void {
  if (Date.now() - usedAt.getTime() < INTERVAL_MS) return;
  inBackground(
    sessionStore.use(id).catch((error: unknown) => log.warn({ error }, 'cannot record the use of a session')),
  );
}
