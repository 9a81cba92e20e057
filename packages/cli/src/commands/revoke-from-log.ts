import {
  type ControlPlaneCalls,
  GrpcStatus,
  grpcStatus,
  type RevokeKeyResponseMessage,
} from '@model-gateway/contracts';
import type { Io } from '../io.ts';
import { formatTable } from '../output/format-table.ts';
import { unconfirmedNote } from '../output/unconfirmed-note.ts';
import { readInput } from '../read-input.ts';
import { CALL_DEADLINE_MS, type CommandResult } from '../run-command.ts';
import { type LoggedRevocation, loggedRevocations } from './logged-revocations.ts';

interface Outcome {
  key_id: string;
  revoked_at: string | null;
  /** `unknown`: the database has no such key, so it cannot be used. */
  was: 'active' | 'revoked' | 'unknown';
  now: 'active' | 'revoked' | 'unknown';
}

/**
 * Revokes the keys again that were revoked after the backup from which the database was restored.
 * @param file the path of the control planes' log; `-` is standard input
 */
export async function revokeFromLog(
  client: ControlPlaneCalls,
  file: string,
  { dryRun, io }: { dryRun: boolean; io: Pick<Io, 'readStdin'> },
): Promise<CommandResult> {
  const outcomes: Outcome[] = [];
  const unconfirmed = new Set<string>();
  const { revocations, unread } = loggedRevocations(await readInput(file, io));
  for (const logged of revocations) {
    const was = await stateOf(client, logged);
    let now = was;
    if (was === 'active' && !dryRun) {
      const answer = await revokeKey(client, logged.keyId, false);
      for (const instance of answer.unconfirmedInstances) unconfirmed.add(instance);
      now = 'revoked';
    }
    outcomes.push({ key_id: logged.keyId, revoked_at: logged.revokedAt ?? null, was, now });
  }
  const active = outcomes.filter(({ was }) => was === 'active').length;
  const done = dryRun ? 'would be revoked' : 'revoked';
  const table = formatTable(
    ['KEY', 'REVOKED AT', 'WAS', 'IS'],
    outcomes.map(({ key_id, revoked_at, was, now }) => [key_id, revoked_at ?? '-', was, now]),
  );
  const notes = [unconfirmedNote([...unconfirmed], 'accept some of them'), unreadNote(unread)];
  const note = notes.filter((each) => each !== undefined).join('; ');
  return {
    json: outcomes,
    text: `${outcomes.length === 0 ? '' : table}${active} of ${outcomes.length} logged keys ${done}\n`,
    note: note === '' ? undefined : note,
  };
}

const MAX_NAMED_LINES = 5;

function unreadNote(unread: readonly number[]): string | undefined {
  if (unread.length === 0) return undefined;
  const more = unread.length > MAX_NAMED_LINES ? ', …' : '';
  const numbers = unread.slice(0, MAX_NAMED_LINES).join(', ') + more;
  const count = unread.length === 1 ? '1 line' : `${unread.length} lines`;
  return (
    `NOT READ: ${count} that may report a revocation (${numbers}); ` +
    'pass the log as the control plane wrote it, with one JSON object per line'
  );
}

async function stateOf(client: ControlPlaneCalls, { keyId }: LoggedRevocation): Promise<Outcome['was']> {
  try {
    const { key } = await revokeKey(client, keyId, true);
    // A key that is only suspended counts as active, because it comes back with its account.
    return key?.revokedAtMs === undefined || key.status === 'suspended' ? 'active' : 'revoked';
  } catch (error) {
    if (grpcStatus(error) === GrpcStatus.NOT_FOUND) return 'unknown';
    throw error;
  }
}

function revokeKey(
  client: ControlPlaneCalls,
  keyId: string,
  dryRun: boolean,
): Promise<RevokeKeyResponseMessage> {
  return client.call(CALL_DEADLINE_MS, 'accounts', 'revokeKey', { keyId, dryRun });
}
