import { metricOf, startGatewayWithKey, until } from '@model-gateway/test-kit';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { expect, it } from 'vitest';
import { accountWithContents } from './account-with-contents.ts';

it('contents wait while they cannot be stored, and delay or fail no request', async () => {
  await using gateway = await startGatewayWithKey();
  using account = await accountWithContents(gateway, 7);
  const [dataPlane] = gateway.dataPlanes;
  await using sql = openSql(gateway.databaseUrl);
  await sql.run('ALTER TABLE request_contents RENAME TO request_contents_away');
  const content = 'a long story '.repeat(5_000);
  const body = { model: 'sim/chat-free', messages: [{ role: 'user', content }] };
  const answers = await Promise.all(Array.from({ length: 20 }, () => account.ask('chat/completions', body)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  for (const answer of answers) await gateway.recordOf(answer);
  expect(await metricOf(dataPlane, 'gateway_contents_bytes')).toBeGreaterThan(20 * 65_000);
  await sql.run('ALTER TABLE request_contents_away RENAME TO request_contents');
  await until(
    async () => (await metricOf(dataPlane, 'gateway_contents_total', { outcome: 'stored' })) === 20,
  );
  await until(async () => (await metricOf(dataPlane, 'gateway_contents_bytes')) === 0);
});
