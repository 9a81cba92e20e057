import { createHash } from 'node:crypto';
import { canonicalJson } from '@model-gateway/shared/canonical-json';

/** Position in a chain, and the hash of its event. */
export interface ChainPoint {
  position: bigint;
  /** Lower-case hex; empty before the first event. */
  hash: string;
}

/** Head that a control plane has logged. */
export interface LoggedHead extends ChainPoint {
  chain: number;
  at: Date;
}

export interface ChainEnds {
  chain: number;
  /** Newest event. */
  head: ChainPoint;
  /** Event before the oldest that is kept. */
  start: ChainPoint;
}

/** Unparsed row of audit_events, so that the hash covers every column. */
export interface StoredEvent {
  id: string;
  position: bigint;
  columns: Record<string, unknown>;
  hash: string;
}

export interface BrokenEvent {
  chain: number;
  position: bigint;
  /** Undefined: no row is at the position. */
  id: string | undefined;
  /** Complete sentence that describes the problem. */
  problem: string;
}

export interface CheckedChain {
  events: bigint;
  comparedHeads: number;
  /** First broken event; undefined: the chain is intact. */
  broken: BrokenEvent | undefined;
}

/**
 * Recomputes the hashes of a chain.
 * @param pages all rows of the chain in the order of their positions
 * @param logged heads of this chain that control planes have logged
 * @param keptSince events after this time cannot have been removed for their age
 */
export async function verifyChain(
  { chain, head, start }: ChainEnds,
  pages: AsyncIterable<readonly StoredEvent[]>,
  logged: readonly LoggedHead[],
  keptSince: Date,
): Promise<CheckedChain> {
  const loggedAt = Map.groupBy(logged, ({ position }) => position);
  const isLogged = ({ position, hash }: ChainPoint) =>
    (loggedAt.get(position) ?? []).every((point) => point.hash === hash);
  const compared = logged.filter(({ position }) => position >= start.position);
  const checked = { events: 0n, comparedHeads: compared.length };
  const brokenAt = (position: bigint, problem: string, id?: string) => ({
    ...checked,
    broken: { chain, position, id, problem },
  });
  let last = start;
  if (!isLogged(start)) return brokenAt(start.position, START_CHANGED);
  // All events after a logged head are newer than its line.
  const young = logged.find(({ at, position }) => position < start.position && at >= keptSince);
  if (young !== undefined) return brokenAt(young.position + 1n, REMOVED_EARLY);
  for await (const page of pages) {
    for (const event of page) {
      const { id, position, hash } = event;
      if (position <= last.position) return brokenAt(position, BEFORE_START, id);
      if (position > last.position + 1n) return brokenAt(last.position + 1n, MISSING);
      if (position > head.position) return brokenAt(position, BEHIND_HEAD, id);
      if (hashOf(last.hash, event) !== hash) return brokenAt(position, OTHER_HASH, id);
      if (!isLogged(event)) return brokenAt(position, OTHER_LOGGED, id);
      last = { position, hash };
      checked.events += 1n;
    }
  }
  if (last.position < head.position) return brokenAt(last.position + 1n, TAIL_CUT);
  if (last.hash !== head.hash) return brokenAt(head.position, OTHER_HEAD);
  const newest = logged.find(({ position }) => position > head.position);
  if (newest !== undefined) return brokenAt(head.position + 1n, loggedLater(newest.position));
  return { ...checked, broken: undefined };
}

const START_CHANGED = 'A control plane logged another hash for the last event that was removed for its age.';
const BEFORE_START =
  'The event is older than the beginning of its chain: it was inserted, or the beginning was changed.';
const REMOVED_EARLY =
  'The events from this position on were removed although they are not older than AUDIT_RETENTION_DAYS.';
const MISSING = 'The event at this position was removed.';
const BEHIND_HEAD =
  'The event is newer than the head of its chain: it was inserted, or the head was changed.';
const OTHER_HASH =
  'The hash does not fit: this event was changed or moved, or one before it was inserted, moved or removed.';
const OTHER_LOGGED =
  'A control plane logged another hash at this position: this event or one before it was changed, with all hashes.';
const TAIL_CUT = 'The events from this position on were removed.';
const OTHER_HEAD = 'The head of the chain has another hash than its last event: one of them was changed.';

function loggedLater(position: bigint): string {
  return `A control plane logged the position ${position}: the events from here on were removed, and the head was changed.`;
}

function hashOf(before: string, { columns }: StoredEvent): string {
  return createHash('sha256').update(before).update(canonicalJson(columns)).digest('hex');
}
