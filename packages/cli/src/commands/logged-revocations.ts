import { z } from 'zod';

export interface LoggedRevocation {
  keyId: string;
  revokedAt: string | undefined;
}

export interface LoggedRevocations {
  revocations: LoggedRevocation[];
  /** The numbers (from 1) of lines that may report a revocation but cannot be understood. */
  unread: number[];
}

const MESSAGE = 'key revoked';

const revocationLine = z.object({
  msg: z.literal(MESSAGE),
  key_id: z.string().regex(/^[\w-]{1,100}$/),
  revoked_at: z.string().optional(),
});
/** A log line about something else that happens to contain the same words. */
const otherLine = z.object({ msg: z.string().refine((message) => message !== MESSAGE) });

/**
 * Finds the revoked keys in the log of control planes, each once, in order. It ignores text before the JSON
 * of a line (a container name, a time) and other lines. Truncated or wrapped lines that may report a
 * revocation are listed as unread, because their keys would go on working.
 */
export function loggedRevocations(log: string): LoggedRevocations {
  const found = new Map<string, LoggedRevocation>();
  const unread: number[] = [];
  for (const [index, text] of log.split('\n').entries()) {
    if (!text.includes(MESSAGE)) continue;
    const json = parseJson(text.slice(text.indexOf('{')));
    const parsed = revocationLine.safeParse(json);
    if (!parsed.success) {
      if (!otherLine.safeParse(json).success) unread.push(index + 1);
      continue;
    }
    const { key_id: keyId, revoked_at: revokedAt } = parsed.data;
    if (!found.has(keyId)) found.set(keyId, { keyId, revokedAt });
  }
  return { revocations: [...found.values()], unread };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
