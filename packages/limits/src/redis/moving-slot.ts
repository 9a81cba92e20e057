/**
 * Whether a cluster did not run a command because the slot of its keys is on its way between two shards. The
 * shard that has the slot answers ASK for keys that it does not hold, and the one that gets it answers
 * TRYAGAIN as long as it does not hold all of them, or MOVED to a command that was not sent on by ASK. ioredis
 * gives up after some rounds of that, and only the text of its error tells the answer that was the last.
 */
export function isSlotMoving(error: unknown): boolean {
  return error instanceof Error && /\b(ASK|MOVED|TRYAGAIN) /.test(error.message);
}
