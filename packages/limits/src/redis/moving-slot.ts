/**
 * Returns true if a cluster did not run a command because the slot of its keys moves between two shards. The
 * old shard answers ASK, the new one TRYAGAIN or MOVED. ioredis gives up after some rounds, and only the text
 * of its error names the last answer.
 */
export function isSlotMoving(error: unknown): boolean {
  return error instanceof Error && /\b(ASK|MOVED|TRYAGAIN) /.test(error.message);
}
