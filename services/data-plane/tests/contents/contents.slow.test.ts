import { dumpTables, metricOf, until, withGateway } from '@model-gateway/test-kit';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allApis, EVERY_KIND } from '../endpoints/all-apis.ts';
import { imageEditForm, type PictureFile } from '../endpoints/image-edit-form.ts';
import { wavOf } from '../endpoints/wav.ts';
import { accountWithContents } from './account-with-contents.ts';

const gateway = withGateway({ document: allApis });
/** A word that nothing else has. */
const MARK = 'wombats-in-waistcoats';
const messages = [{ role: 'user', content: `What do you think of ${MARK}?` }];
const APIS = [
  ['chat/completions', { messages }],
  ['messages', { messages, max_tokens: 100 }],
  ['responses', { input: `Say ${MARK}`, store: false }],
] as const;
const CASES = APIS.flatMap(([path, body]) =>
  EVERY_KIND.flatMap(([kind, model]) =>
    [false, true].map((stream) => ({ path, kind, stream, body: { model, ...body, stream } })),
  ),
);
const sealedRows = z.array(z.object({ sealed: z.instanceof(Uint8Array) }));

async function storedOf(accountId: string): Promise<Buffer[]> {
  await using sql = openSql(gateway.databaseUrl);
  const rows = await sql.rows(
    `SELECT c.sealed FROM request_contents c JOIN contents_keys k ON k.id = c.key_id WHERE k.account_id = $1`,
    accountId,
  );
  return sealedRows.parse(rows).map(({ sealed }) => Buffer.from(sealed));
}

describe('the contents of an account that has turned them on', () => {
  it.each(CASES)('are the bodies of $path at $kind, streamed: $stream', async ({ path, body, stream }) => {
    using account = await accountWithContents(gateway, 7);
    const sent = JSON.stringify(body);
    const answer = await account.ask(path, sent);
    expect(answer.status).toBe(200);
    const contents = await account.contentsOf(answer);
    expect(contents).toMatchObject({ path: `/v1/${path}`, status: 200 });
    const request = { contentType: 'application/json', bytes: String(Buffer.byteLength(sent)), cut: false };
    expect(contents.request).toMatchObject({ ...request, text: sent });
    expect(contents.response).toMatchObject({
      bytes: String(Buffer.byteLength(answer.body)),
      text: answer.body,
      cut: false,
    });
    expect(contents.response?.contentType).toContain(stream ? 'text/event-stream' : 'application/json');
    expect(Number(contents.expiresAtMs) - Number(contents.storedAtMs)).toBe(7 * 86_400_000);
  });

  it('are readable in no table and no log line, while another account has none at all', async () => {
    using account = await accountWithContents(gateway, 30);
    using other = await accountWithContents(gateway);
    const body = { model: 'sim/chat-pro', messages };
    const answer = await account.ask('chat/completions', body);
    const others = await other.ask('chat/completions', body);
    await account.contentsOf(answer);
    await gateway.recordOf(others);
    const id = answer.headers.get('x-request-id') ?? '';
    for (const text of [await dumpTables(gateway.databaseUrl), gateway.logText()]) {
      expect(text).toContain(id);
      expect(text).not.toContain(MARK);
      expect(text).not.toContain(Buffer.from(MARK).toString('hex'));
    }
    const [sealed, ...more] = await storedOf(account.accountId);
    expect(more).toEqual([]);
    expect(sealed?.includes(MARK)).toBe(false);
    expect(await storedOf(other.accountId)).toEqual([]);
    await expect(other.view(others.headers.get('x-request-id') ?? '')).rejects.toThrow(
      'the owner of this account has not turned on contents',
    );
    await expect(other.view(id)).rejects.toThrow('there is no receipt');
  });

  it('end with the bytes that were delivered when a provider breaks off a stream', async () => {
    using account = await accountWithContents(gateway, 1);
    const body = {
      model: 'sim/chat-free',
      messages,
      stream: true,
      simulate: { truncate: { after_events: 2 } },
    };
    const answer = await account.ask('chat/completions', body);
    expect(answer.body).toContain('upstream_');
    expect((await account.contentsOf(answer)).response?.text).toBe(answer.body);
  });

  it('have the error that the client got when the provider refused the request', async () => {
    using account = await accountWithContents(gateway, 1);
    const simulate = { error: { status: 400 } };
    const answer = await account.ask('chat/completions', { model: 'sim/chat-free', messages, simulate });
    expect(answer.status).toBe(400);
    expect(await account.contentsOf(answer)).toMatchObject({ status: 400, response: { text: answer.body } });
  });

  it('have no pictures, recordings or credentials', async () => {
    using account = await accountWithContents(gateway, 1);
    const { key } = account;
    const picture = Buffer.alloc(9_000, 'picture').toString('base64');
    const content = [
      { type: 'text', text: `my key is ${key}` },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } },
    ];
    const tools = [{ type: 'mcp', authorization: 'Bearer secret-1', headers: { 'x-key': 'secret-2' } }];
    const asked = { model: 'sim/chat-free', messages: [{ role: 'user', content }], tools_of_mcp: tools };
    const chat = await account.contentsOf(await account.ask('chat/completions', asked));
    const text = chat.request?.text ?? '';
    expect(text).toContain('"data:image/png;base64,[12000 characters of base64]"');
    expect(text).toContain('my key is [removed]');
    for (const secret of [key, 'secret-1', 'secret-2', picture.slice(0, 50)])
      expect(text).not.toContain(secret);

    const spoken = { model: 'sim/speech-free', input: MARK, voice: 'alloy', response_format: 'wav' };
    const speech = await account.contentsOf(await account.ask('audio/speech', spoken));
    expect(speech.response).toMatchObject({ contentType: 'audio/wav', cut: false });
    expect(speech.response?.text).toBeUndefined();
    expect(Number(speech.response?.bytes)).toBeGreaterThan(1_000);

    const image = { model: 'sim/image-free', prompt: MARK };
    const drawn = await account.contentsOf(await account.ask('images/generations', image));
    expect(drawn.request?.text).toContain(MARK);

    const pictures: PictureFile[] = [
      ['image[]', 'a.png'],
      ['image[]', 'b.png'],
      ['mask', 'm.png'],
    ];
    const edit = imageEditForm({ model: 'sim/image-free', prompt: MARK }, pictures);
    const edited = await account.contentsOf(await account.ask('images/edits', edit));
    expect(JSON.parse(edited.request?.text ?? '')).toEqual({
      ...{ model: 'sim/image-free', prompt: MARK },
      ...{ 'image[]': '[image/png][image/png]', mask: '[image/png]' },
    });

    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(wavOf(1))], { type: 'audio/wav' }), 'a.wav');
    form.set('model', 'sim/transcribe-free');
    form.set('prompt', MARK);
    const authorization = `Bearer ${key}`;
    const url = `${gateway.baseUrl}/v1/audio/transcriptions`;
    const response = await fetch(url, { method: 'POST', headers: { authorization }, body: form });
    const heard = await response.text();
    const upload = await account.contentsOf(response);
    expect(JSON.parse(upload.request?.text ?? '')).toEqual({
      model: 'sim/transcribe-free',
      prompt: MARK,
      file: '[audio/wav]',
    });
    expect(Number(upload.request?.bytes)).toBeGreaterThan(32_000);
    expect(upload.response?.text).toBe(heard);
  });

  it('are cut at 256 KiB each, with a mark', async () => {
    using account = await accountWithContents(gateway, 1);
    const long = [{ role: 'user', content: 'a long story '.repeat(40_000) }];
    const answer = await account.ask('chat/completions', { model: 'sim/chat-free', messages: long });
    const { request } = await account.contentsOf(answer);
    expect(request).toMatchObject({ cut: true });
    expect(request?.text?.length).toBe(256 * 1024);
    expect(Number(request?.bytes)).toBeGreaterThan(500_000);
  });

  it('are not of requests without a receipt', async () => {
    using account = await accountWithContents(gateway, 1);
    const answer = await account.ask('chat/completions', { model: 'sim/chat-free', messages: MARK });
    expect(answer.status).toBe(400);
    await account.contentsOf(await account.ask('chat/completions', { model: 'sim/chat-free', messages }));
    expect(await storedOf(account.accountId)).toHaveLength(1);
  });
});

describe('turning contents off', () => {
  it('deletes all at once, and no later request is stored', async () => {
    using account = await accountWithContents(gateway, 7);
    const body = { model: 'sim/chat-free', messages };
    const answer = await account.ask('chat/completions', body);
    await account.contentsOf(answer);
    const running = account.ask('chat/completions', { ...body, simulate: { delay_ms: 300 } });
    await account.set();
    expect(await storedOf(account.accountId)).toEqual([]);
    const id = answer.headers.get('x-request-id') ?? '';
    await expect(account.view(id)).rejects.toThrow('has not turned on contents');
    const later = await account.ask('chat/completions', body);
    for (const each of [await running, later]) expect(each.status).toBe(200);
    await gateway.recordOf(later);
    await account.set(7);
    await expect(account.view(id)).rejects.toThrow(`no contents of ${id} are stored`);
    await account.contentsOf(await account.ask('chat/completions', body));
    expect(await storedOf(account.accountId)).toHaveLength(1);
  });

  it('happens with the account: a deleted account has no contents', async () => {
    using account = await accountWithContents(gateway, 7);
    await account.contentsOf(await account.ask('chat/completions', { model: 'sim/chat-free', messages }));
    await gateway.admin.callOnce(10_000, 'accounts', 'deleteAccount', { account: account.accountId });
    expect(await storedOf(account.accountId)).toEqual([]);
  });
});

it('each look is in the audit log, with the request and who looked', async () => {
  using account = await accountWithContents(gateway, 7);
  const answer = await account.ask('chat/completions', { model: 'sim/chat-free', messages });
  await account.contentsOf(answer);
  await account.view(answer.headers.get('x-request-id') ?? '');
  const asked = { account: account.accountId, filter: { action: 'contents.viewed' } };
  const { events } = await gateway.admin.call(5_000, 'audit', 'listAuditEvents', asked);
  expect(events).toHaveLength(2);
  expect(events[0]).toMatchObject({
    object: { type: 'request', id: answer.headers.get('x-request-id') },
    accountId: account.accountId,
    outcome: 'done',
    actor: { type: 'user' },
  });
});

it('a data plane counts the contents that it stored', async () => {
  const [dataPlane] = gateway.dataPlanes;
  const stored = () => metricOf(dataPlane, 'gateway_contents_total', { outcome: 'stored' });
  const before = await stored();
  using account = await accountWithContents(gateway, 7);
  await account.contentsOf(await account.ask('chat/completions', { model: 'sim/chat-free', messages }));
  await until(async () => (await stored()) === before + 1);
  await until(async () => (await metricOf(dataPlane, 'gateway_contents_bytes')) === 0);
});
