import { invalidArgument } from '../errors/control-plane-error.ts';
import type { AuditRetentionStore } from './audit-retention-store.ts';
import type { AuditSnapshotStore } from './audit-snapshot-store.ts';
import { type BrokenEvent, type LoggedHead, verifyChain } from './verify-chain.ts';

export interface VerifiedLog {
  events: bigint;
  /** Logged heads that are not older than the oldest event. */
  comparedHeads: number;
  /** First broken event by chain and position; undefined: the log is intact. */
  broken: BrokenEvent | undefined;
}

export interface VerifyContext {
  auditSnapshotStore: Pick<AuditSnapshotStore, 'open'>;
  auditRetentionStore: Pick<AuditRetentionStore, 'keptSince'>;
}

/** Number of chains, as in append_audit_event. */
const CHAINS = 16;
const MAX_HEADS = 20_000;

/**
 * Checks every chain of the audit log, in one snapshot and page by page.
 * @param heads heads that control planes have logged. They reveal a tail that was cut off together with the
 *   stored head
 * @throws ControlPlaneError invalid_argument (too many heads)
 */
export async function verifyAuditLog(
  { auditSnapshotStore, auditRetentionStore }: VerifyContext,
  heads: readonly LoggedHead[],
  signal: AbortSignal,
): Promise<VerifiedLog> {
  if (heads.length > MAX_HEADS)
    throw invalidArgument(`at most ${MAX_HEADS} heads can be compared: send fewer`);
  await using snapshot = await auditSnapshotStore.open(signal);
  const ends = new Map((await snapshot.chains()).map((each) => [each.chain, each]));
  const verified: VerifiedLog = { events: 0n, comparedHeads: 0, broken: undefined };
  for (let chain = 0; chain < CHAINS; chain++) {
    const end = ends.get(chain);
    if (end === undefined) return { ...verified, broken: missingChain(chain) };
    const logged = heads.filter((head) => head.chain === chain);
    const { events, comparedHeads, broken } = await verifyChain(
      end,
      snapshot.events(chain),
      logged,
      auditRetentionStore.keptSince(),
    );
    verified.events += events;
    verified.comparedHeads += comparedHeads;
    if (broken !== undefined) return { ...verified, broken };
  }
  const stray = await snapshot.stray();
  if (stray !== undefined)
    verified.broken = { ...stray, problem: 'The event is in a chain that does not exist.' };
  return verified;
}

function missingChain(chain: number): BrokenEvent {
  return { chain, position: 0n, id: undefined, problem: 'The head of this chain was removed.' };
}
