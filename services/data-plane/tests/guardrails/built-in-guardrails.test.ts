import { describe, expect, it } from 'vitest';
import {
  eventsOf,
  PATHS,
  requestOf,
  sendEvents,
  sendJsonAnswer,
  wholeOf,
  withGuardedGateway,
  withServer,
} from './guarded-gateway.ts';

const provider = withServer();
const analyzer = withServer();
const KEYS = {
  OpenAI: 'sk-proj-Ab3dEf6hIj9kLm2nOp5qRs8t',
  Anthropic: 'sk-ant-api03-Ab3dEf6hIj9kLm2nOp5qRs8t',
  AWS: 'AKIAIOSFODNN7EXAMPLE',
  GitHub: 'ghp_Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3d',
  Google: 'AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q',
  Slack: 'xoxb-123456789012-abcdefABCDEF',
  gateway: 'gw_live_Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3dEf6hIj9kLm2n',
  private: '-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nabcd\n-----END RSA PRIVATE KEY-----',
};

describe('the guardrail for secrets', () => {
  const gateway = withGuardedGateway(provider, () => [{ id: 'secrets', kind: 'secrets' }]);

  it.each(Object.entries(KEYS))('replaces a key of %s in requests and responses', async (_issuer, secret) => {
    sendJsonAnswer(provider, wholeOf('chat', { text: `It is ${secret} indeed.` }));
    const messages = [{ role: 'user', content: `My key is ${secret}. Use it.` }];
    const answer = await gateway.ask(PATHS.chat, requestOf('chat', { messages }));
    expect(answer.status, answer.body).toBe(200);
    const [start] = secret.split('\n');
    expect(provider.bodies[0]).toMatch(/My key is \[[^\]]+\]/);
    expect(provider.bodies[0]).not.toContain(start);
    expect(answer.body).toMatch(/It is \[[^\]]+\] indeed/);
  });

  it('replaces a key that a stream splits', async () => {
    sendEvents(provider, eventsOf('chat', 'text', ['Here: ', ...KEYS.GitHub, ' and so on.']));
    const answer = await gateway.ask(PATHS.chat, requestOf('chat', { stream: true }));
    expect(answer.body).toContain('[GitHub token]');
    expect(answer.body).not.toContain('"h"');
  });

  it.each([100_000, 262_140, 500_000])('blocks a long text with a key at character %i', async (at) => {
    sendJsonAnswer(provider, wholeOf('chat', {}));
    const ask = (content: string) =>
      gateway.ask(PATHS.chat, requestOf('chat', { messages: [{ role: 'user', content }] }));
    const filler = 'word '.repeat(120_000);
    const found = await ask(`${filler.slice(0, at)} ${KEYS.AWS} ${filler.slice(at)}`);
    expect(found.status).toBe(403);
    expect(provider.bodies).toEqual([]);
    expect((await ask(filler)).status).toBe(200);
  });

  it('leaves words that look a little like keys', async () => {
    const text = 'The sk-learn package, AKIA and ghp_ are no keys. Neither is disk-1234.';
    sendJsonAnswer(provider, wholeOf('chat', { text }));
    const answer = await gateway.ask(PATHS.chat, requestOf('chat'));
    expect(JSON.parse(answer.body).choices[0].message.content).toBe(text);
  });
});

describe('Presidio', () => {
  const gateway = withGuardedGateway(provider, () => [
    { id: 'personal-data', kind: 'presidio', url: analyzer.url, when: 'request' },
  ]);

  it('finds personal data, and the gateway replaces it, also behind characters beyond 16 bits', async () => {
    analyzer.answer((req, res, body) => {
      const { text } = JSON.parse(body);
      expect(req.url).toBe('/analyze');
      // Positions of Python.
      const characters = [...text];
      const start = characters
        .join('\0')
        .split('\0')
        .findIndex((_, at) => characters.slice(at, at + 4).join('') === 'Jane');
      const finding = { entity_type: 'PERSON', start, end: start + 4, score: 0.85 };
      res.end(
        JSON.stringify([
          finding,
          { ...finding, entity_type: 'NRP', end: start + 2, score: 0.6 },
          { ...finding, start: 0, score: 0.1 },
        ]),
      );
    });
    sendJsonAnswer(provider, wholeOf('chat', {}));
    const messages = [
      { role: 'system', content: 'Be kind 😀.' },
      { role: 'user', content: '😀 I am Jane, hello.' },
    ];
    const answer = await gateway.ask(PATHS.chat, requestOf('chat', { messages }));
    expect(answer.status, answer.body).toBe(200);
    expect(JSON.parse(provider.bodies[0] ?? '').messages).toEqual([
      { role: 'system', content: 'Be kind 😀.' },
      { role: 'user', content: '😀 I am <PERSON>, hello.' },
    ]);
  });

  it('lets nothing pass if it answers something else', async () => {
    analyzer.answer((_req, res) => void res.end('{"error":"no"}'));
    expect((await gateway.ask(PATHS.chat, requestOf('chat'))).status).toBe(503);
  });
});

describe('a pattern with `hold_back`', () => {
  const gateway = withGuardedGateway(provider, () => [
    {
      id: 'phrase',
      kind: 'patterns',
      hold_back: 60,
      patterns: [{ name: 'phrase', pattern: 'open\\. sesame' }],
    },
  ]);

  it('is withheld also where the end of a sentence splits it', async () => {
    const text =
      'This is a first sentence that is long enough to be sent. Now open. sesame is the word, they say.';
    sendEvents(
      provider,
      eventsOf('chat', 'text', [
        'This is a first sentence that is long enough to be sent. ',
        'Now open. ',
        'sesame is the word, they say.',
      ]),
      'Now open',
    );
    const answer = await gateway.ask(PATHS.chat, requestOf('chat', { stream: true }));
    expect(text).toContain('open. sesame');
    expect(answer.body).not.toMatch(/open|sesame/);
  });
});
