import { z } from 'zod';

export interface LoggedRevocation {
  keyId: string;
  revokedAt: string | undefined;
}

const line = z.object({
  msg: z.literal('key revoked'),
  key_id: z.string().min(1).max(100),
  revoked_at: z.string().optional(),
});

/**
 * The keys that were revoked, as control planes log them: each once, in the order of the log. Whatever stands before the
 * JSON of a line (the name of a container, a time) and every other line is passed over.
 */
export function loggedRevocations(log: string): LoggedRevocation[] {
  const found = new Map<string, LoggedRevocation>();
  for (const text of log.split('\n')) {
    if (!text.includes('key revoked')) continue;
    const parsed = line.safeParse(parseJson(text.slice(text.indexOf('{'))));
    if (!parsed.success || found.has(parsed.data.key_id)) continue;
    found.set(parsed.data.key_id, { keyId: parsed.data.key_id, revokedAt: parsed.data.revoked_at });
  }
  return [...found.values()];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
