import { dumpTables, startGateway } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';

it('raw keys appear in no table, log line, error or provider request', async () => {
  await using gateway = await startGateway({ catalog: true });
  const key = await gateway.createKey();
  const revoked = await gateway.createKey(key.accountId);
  await gateway.revokeKey(revoked.id);
  const answers: string[] = [];
  const send = async (path: string, headers: Record<string, string>, body?: string) => {
    const response = await fetch(`${gateway.baseUrl}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body }),
    });
    answers.push(JSON.stringify([...response.headers]), await response.text());
  };
  const chat = (extra: object) =>
    JSON.stringify({ model: 'sim/chat-free', messages: [{ role: 'user', content: 'hello' }], ...extra });
  for (const rawKey of [key.rawKey, revoked.rawKey]) {
    const authorization = `Bearer ${rawKey}`;
    await send('/v1/chat/completions', { authorization }, chat({}));
    await send('/v1/chat/completions', { authorization }, chat({ stream: true }));
    await send('/v1/chat/completions', { authorization }, chat({ simulate: { status: 500 } }));
    await send(
      '/v1/chat/completions',
      { authorization },
      chat({ simulate: { status: 400, echo_credential: true } }),
    );
    await send('/v1/chat/completions', { authorization }, '{"model":');
    await send(`/v1/chat/completions?api_key=${rawKey}`, {}, chat({}));
    await send(`/v1/models?key=${rawKey}`, { authorization });
    await send(`/v1/models/${rawKey}`, {});
    await send(`/unknown/${rawKey}`, { 'x-api-key': rawKey, 'x-request-id': rawKey });
  }
  const haystacks = {
    tables: await dumpTables(gateway.databaseUrl),
    log: gateway.logText(),
    provider: JSON.stringify(gateway.provider.requests),
    answers: answers.join('\n'),
  };
  for (const [place, text] of Object.entries(haystacks)) {
    expect(text.length, place).toBeGreaterThan(100);
    for (const rawKey of [key.rawKey, revoked.rawKey]) {
      expect(text.includes(rawKey), `a raw key in: ${place}`).toBe(false);
      expect(text.includes(rawKey.slice(16)), `the secret part of a key in: ${place}`).toBe(false);
    }
  }
});
