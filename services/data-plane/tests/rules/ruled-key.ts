import type { TestGateway } from '@model-gateway/test-kit';
import { openSql } from '@model-gateway/test-kit/open-sql';

const CALL_MS = 30_000;

/** Rules by level. `end_users`: the account's template for end users. */
export type LevelRules = Partial<Record<'key' | 'seat' | 'team' | 'account' | 'end_users', object>>;

export interface RuledKey {
  id: string;
  rawKey: string;
  accountId: string;
}

/**
 * Creates a key with rules; one with rules of a seat or a team is on a seat.
 * @param accountId left out: a new account
 */
export async function createRuledKey(
  gateway: TestGateway,
  rules: LevelRules,
  accountId?: string,
): Promise<RuledKey> {
  const account = accountId ?? (await gateway.createAccount());
  const hasSeat = rules.seat !== undefined || rules.team !== undefined;
  const { seatId, teamId } = hasSeat ? await addSeat(gateway, account) : {};
  const { key, rawKey } = await gateway.admin.call(CALL_MS, 'accounts', 'createKey', {
    account,
    name: 'with rules',
    ...(seatId === undefined ? {} : { seatId }),
  });
  if (key === null) throw new Error('the control plane answered without a key');
  const owners = { key: key.id, seat: seatId, team: teamId, account, end_users: account };
  await using sql = openSql(gateway.databaseUrl);
  for (const [level, ofLevel] of Object.entries(rules))
    await sql.run(
      'INSERT INTO rules (owner, rules) VALUES ($1, $2::jsonb)',
      `${level}:${new Map(Object.entries(owners)).get(level)}`,
      JSON.stringify(ofLevel),
    );
  return { id: key.id, rawKey, accountId: account };
}

async function addSeat({ admin }: TestGateway, account: string) {
  const { id: teamId } = await admin.call(CALL_MS, 'teams', 'createTeam', {
    account,
    name: 'team',
    requestsPerMinute: 1_000_000,
  });
  const { id: seatId } = await admin.call(CALL_MS, 'teams', 'addSeat', { teamId, account });
  return { seatId, teamId };
}
