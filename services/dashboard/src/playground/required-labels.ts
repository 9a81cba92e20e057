import type { HolderReads } from '../control-plane/holder-client.ts';
import { toReport } from '../rules/to-report.ts';

/** The value of tags, and the end user, of chats in the playground. */
const PLAYGROUND = 'playground';

export interface PlaygroundOwner {
  accountId: string;
  /** Undefined: the account pays. */
  seatId: string | undefined;
}

/**
 * Returns the headers that a chat lacks, by the code of the gateway's refusal.
 * @returns undefined if no header would help
 */
export async function requiredLabels(
  reads: Pick<HolderReads, 'getHolderRules'>,
  { accountId, seatId }: PlaygroundOwner,
  code: unknown,
): Promise<Record<string, string> | undefined> {
  if (code === 'end_user_required') return { 'x-gateway-end-user': PLAYGROUND };
  if (code !== 'tag_required') return undefined;
  const payer = seatId === undefined ? { kind: 'account', id: accountId } : { kind: 'seat', id: seatId };
  const owners = [payer, { kind: 'end_users', id: accountId }];
  const reports = await Promise.all(
    owners.map(async (owner) => toReport(await reads.getHolderRules({ accountId, owner }))),
  );
  const names = new Set(reports.flatMap(({ effective }) => effective.require_tags));
  return { 'x-gateway-tags': [...names].map((name) => `${name}=${PLAYGROUND}`).join() };
}
