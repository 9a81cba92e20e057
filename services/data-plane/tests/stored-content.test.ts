import { dumpTables, withGateway } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';

const gateway = withGateway();
/** A word that nothing else has. */
const MARK = 'quokkas-in-tutus';
const messages = [{ role: 'user', content: `What do you think of ${MARK}?` }];

// docs/data.md says so.
it('prompts and responses are in no table and no log line', async () => {
  const requests = [
    ['chat/completions', { model: 'sim/chat-pro', messages }],
    ['chat/completions', { model: 'sim/chat-pro', messages, stream: true }],
    ['messages', { model: 'sim/chat-pro', messages, max_tokens: 100 }],
    ['responses', { model: 'sim/chat-pro', input: `Say ${MARK}`, store: false }],
    ['embeddings', { model: 'sim/embed-pro', input: MARK }],
    ['chat/completions', { model: 'sim/chat-pro', messages: MARK }],
  ] as const;
  const answers = [];
  for (const [path, body] of requests) answers.push(await gateway.ask(path, body));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 400]);
  const [first] = answers;
  const { choices } = JSON.parse(first?.body ?? '');
  const response: string = choices[0].message.content;
  expect(response.length).toBeGreaterThan(20);
  for (const { headers, status } of answers) if (status === 200) await gateway.recordOf({ headers });

  const stored = await dumpTables(gateway.databaseUrl);
  const log = gateway.logText();
  const id = first?.headers.get('x-request-id') ?? '';
  for (const text of [stored, log]) {
    expect(text).toContain(id);
    expect(text).not.toContain(MARK);
    expect(text).not.toContain(response.slice(0, 20));
  }
});
