import { until } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { eventsOf, PATHS, requestOf, sendEvents, withGuardedGateway, withServer } from './guarded-gateway.ts';

const provider = withServer();
const guard = withServer();
const LONG = 'This sentence is here because the gateway holds the end of a text back for a while. ';

describe('guardrails with patterns', () => {
  const gateway = withGuardedGateway(
    provider,
    () => [
      { id: 'secrets', kind: 'secrets' },
      {
        id: 'words',
        kind: 'patterns',
        patterns: [
          { name: 'word', pattern: 'PLUTONIUM' },
          { name: 'name', pattern: 'Dr\\.\\s+Alice', action: 'replace', replacement: 'PERSON' },
        ],
      },
    ],
    () => ['secrets', 'words'],
  );

  it.each(['chat', 'messages', 'responses'] as const)(
    'replace a whole private key that a stream of %s brings line by line',
    async (api) => {
      const lines = Array.from({ length: 20 }, (_, line) => `MIIEow${line}${'Ab3d'.repeat(14)}\n`);
      const pieces = [
        'Here it is:\n',
        '-----BEGIN PRIVATE KEY-----\n',
        ...lines,
        '-----END PRIVATE KEY-----\n',
      ];
      provider.answer(async (_req, res) => {
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const event of eventsOf(api, 'text', [...pieces, 'That is all.']).split(/(?<=\n\n)/)) {
          res.write(event);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        res.end();
      });
      const answer = await gateway.ask(PATHS[api], requestOf(api, { stream: true }));
      expect(answer.body).not.toMatch(/MIIEow|END PRIVATE/);
      expect(answer.body).toContain('That is all');
      expect(answer.isBroken).toBe(false);
    },
  );

  it('replace what the end of a sentence splits', async () => {
    sendEvents(provider, eventsOf('chat', 'text', [LONG, 'Ask Dr. ', 'Alice. She knows.']), 'Ask Dr');
    const answer = await gateway.ask(PATHS.chat, requestOf('chat', { stream: true }));
    expect(answer.body).not.toMatch(/Alice|Dr\./);
    expect(answer.body).toContain('PERSON');
    expect(answer.isBroken).toBe(false);
  });

  it('see a word that two text blocks split', async () => {
    const named = (event: { type: string }) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
    const second = ['TONIUM is the word.'].flatMap((text) => [
      named({ type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } } as never),
      named({ type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text } } as never),
      named({ type: 'content_block_stop', index: 1 } as never),
    ]);
    const events = eventsOf('messages', 'text', [LONG, 'It is PLU']).replace(
      'event: message_delta',
      `${second.join('')}event: message_delta`,
    );
    sendEvents(provider, events);
    const answer = await gateway.ask(PATHS.messages, requestOf('messages', { stream: true }));
    expect(answer.body).not.toContain('TONIUM');
  });
});

describe('guardrails with a service', () => {
  const document = () => [
    { id: 'service', kind: 'http' as const, url: `${guard.url}/check`, deadline_ms: 5_000 },
  ];
  const gateway = withGuardedGateway(provider, document);

  it('go on checking a stream when the catalog changes', async () => {
    guard.answer((_req, res) => void res.end('{"action":"NONE"}'));
    const goOn = Promise.withResolvers<void>();
    const events = eventsOf('chat', 'text', [LONG, LONG, 'The end.']);
    provider.answer(async (_req, res, body) => {
      if (!body.includes('"stream":true')) return void res.writeHead(500).end();
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      const half = events.indexOf('The end.') - 200;
      const at = events.indexOf('\n\n', half) + 2;
      res.write(events.slice(0, at));
      await goOn.promise;
      res.end(events.slice(at));
    });
    const asking = gateway.ask(PATHS.chat, requestOf('chat', { stream: true }));
    await until(() => guard.bodies.length >= 2);
    await gateway.admin.call(10_000, 'catalog', 'removeFromCatalog', { id: 'chat/free', dryRun: false });
    await until(
      async () =>
        (await gateway.ask(PATHS.chat, { ...requestOf('chat'), model: 'chat/free' })).status === 404,
    );
    goOn.resolve();
    const answer = await asking;
    expect(answer.body).toContain('The end.');
    expect(answer.isBroken).toBe(false);
  });

  it('let a request end whose client leaves during the last check', async () => {
    let checks = 0;
    guard.answer((_req, res) => {
      checks += 1;
      // The request and the first sentence pass.
      if (checks <= 2) res.end('{"action":"NONE"}');
    });
    sendEvents(provider, eventsOf('chat', 'text', [LONG, `Second. ${LONG}`, 'Then the end.']), 'Second');
    const leaving = new AbortController();
    const response = await gateway.post(PATHS.chat, requestOf('chat', { stream: true }), {
      signal: leaving.signal,
    });
    await until(() => checks >= 3);
    leaving.abort();
    const receipt = await gateway.receiptOf(response);
    expect(Number(receipt.settled_usd)).toBeGreaterThan(0);
  });
});
