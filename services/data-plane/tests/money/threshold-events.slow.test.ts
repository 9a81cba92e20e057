import { until, withGateway } from '@model-gateway/test-kit';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { addBudget } from './budget-fixture.ts';
import { payingKey } from './money-fixture.ts';

const gateway = withGateway();
const rows = z.array(z.object({ type: z.string(), threshold: z.int().nullable() }));
const BODY = { model: 'sim/chat-pro', messages: [{ role: 'user', content: 'hi' }], max_tokens: 10 };

it('requests that use up a budget cause an event at 50, 80 and 100 %, and one each', async () => {
  const { account, rawKey: plainKey } = await payingKey(gateway);
  const { id: keyId, rawKey } = await gateway.createKey(account);
  await using sql = openSql(gateway.databaseUrl);
  await sql.run(
    `INSERT INTO webhook_endpoints (id, account_id, url, events, disabled_at)
    VALUES ('wh_1', $1, 'https://receiver.example.com', '{budget.threshold_reached,request.settled}', now())`,
    account,
  );
  const first = await gateway.ask('chat/completions', BODY, { key: plainKey });
  expect(first.status).toBe(200);
  const events = async () =>
    rows.parse(
      await sql.rows(
        `SELECT type, (data->>'threshold')::int AS threshold FROM events WHERE account_id = $1 ORDER BY position`,
        account,
      ),
    );
  const settled = async () => (await events()).filter(({ type }) => type === 'request.settled').length;
  await until(async () => (await settled()) === 1);
  const [cost] = z
    .array(z.object({ charged: z.bigint() }))
    .parse(await sql.rows(`SELECT charged FROM usage_records WHERE account_id = $1`, account));
  const limit = (cost?.charged ?? 0n) * 20n;
  await addBudget(gateway.books, `key:${keyId}`, limit, 'month');
  let requests = 1;
  for (;;) {
    const { status } = await gateway.ask('chat/completions', BODY, { key: rawKey });
    if (status === 402) break;
    expect(status).toBe(200);
    requests++;
    expect(requests).toBeLessThan(100);
  }
  await until(async () => (await settled()) === requests);
  const thresholds = async () =>
    (await events()).flatMap(({ threshold }) => (threshold === null ? [] : [threshold]));
  await until(async () => (await thresholds()).includes(80));
  // The refusal came before 80 % was reported; the next one uses the budget up.
  expect((await gateway.ask('chat/completions', BODY, { key: rawKey })).status).toBe(402);
  await until(async () => (await thresholds()).includes(100));
  expect(await thresholds()).toEqual([50, 80, 100]);
});
