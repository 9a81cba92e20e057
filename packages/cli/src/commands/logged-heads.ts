import { z } from 'zod';
import { CommandFailure } from '../command-failure.ts';

export interface LoggedHead {
  chain: number;
  position: string;
  hash: string;
  atMs: number;
}

const MESSAGE = 'audit chain heads';
/** Heads that the control plane compares at most. */
const MAX_HEADS = 20_000;

const headsLine = z.object({
  msg: z.literal(MESSAGE),
  logged_at: z.iso.datetime(),
  heads: z.array(
    z.object({
      chain: z.int().min(0).max(15),
      position: z.int().positive(),
      hash: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});

/**
 * Finds the heads of the audit log in the log of control planes. Ignores other lines, and text before the
 * JSON of a line. Returns each head once; of too many, the newest and an even selection, because a head
 * covers all events before it.
 * @throws CommandFailure if there is none
 */
export function loggedHeads(log: string): LoggedHead[] {
  const found = new Map<string, LoggedHead>();
  for (const text of log.split('\n')) {
    if (!text.includes(MESSAGE)) continue;
    const line = headsLine.safeParse(parseJson(text.slice(text.indexOf('{')))).data;
    for (const { chain, position, hash } of line?.heads ?? []) {
      const head = { chain, position: String(position), hash, atMs: Date.parse(line?.logged_at ?? '') };
      found.set(`${chain} ${position} ${hash}`, head);
    }
  }
  if (found.size === 0) throw new CommandFailure([`there is no line "${MESSAGE}" in this log`]);
  const heads = [...found.values()].sort((a, b) => b.atMs - a.atMs);
  const step = Math.ceil(heads.length / MAX_HEADS);
  return heads.filter((_, index) => index % step === 0 || index < 16).slice(0, MAX_HEADS);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
