import type { TestGateway } from '@model-gateway/test-kit';
import { runSql } from '@model-gateway/test-kit/run-sql';

export interface RuledKey {
  id: string;
  rawKey: string;
  accountId: string;
}

/** Creates a key with these rules, which no data plane has looked up yet. */
export async function createRuledKey(gateway: TestGateway, rules: object): Promise<RuledKey> {
  const key = await gateway.createKey();
  await setRules(gateway, `key:${key.id}`, rules);
  return key;
}

/** @param owner such as `key:key_1` */
export async function setRules(gateway: TestGateway, owner: string, rules: object): Promise<void> {
  const statement = 'INSERT INTO rules (owner, rules) VALUES ($1, $2::jsonb)';
  await runSql(gateway.databaseUrl, statement, [owner, JSON.stringify(rules)]);
}
