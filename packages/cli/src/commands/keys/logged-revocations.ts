import { z } from 'zod';

export interface LoggedRevocation {
  keyId: string;
  revokedAt: string | undefined;
}

export interface LoggedRevocations {
  revocations: LoggedRevocation[];
  /** Numbers of lines, from 1, that seem to tell of a revocation and cannot be understood. */
  unread: number[];
}

const MESSAGE = 'key revoked';

const revocationLine = z.object({
  msg: z.literal(MESSAGE),
  key_id: z.string().regex(/^[\w-]{1,100}$/),
  revoked_at: z.string().optional(),
});
/** One about something else that happens to hold the words. */
const otherLine = z.object({ msg: z.string().refine((message) => message !== MESSAGE) });

/**
 * The keys that were revoked, as control planes log them: each once, in the order of the log. Whatever stands
 * before the JSON of a line (the name of a container, a time) is passed over, and so are lines about
 * something else. A line that may tell of a revocation but cannot be read, such as one that was cut off or
 * wrapped into other JSON, is named instead: passed over, its key would go on working.
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
