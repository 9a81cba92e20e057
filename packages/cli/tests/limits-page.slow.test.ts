import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { simulatedCatalog, TEST_SECRETS } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { MAIN, PROCESS_ENVIRONMENT } from './gatewayctl-fixture.ts';
import { type Stack, startStack } from './stack-fixture.ts';

const PAGE = readFileSync(new URL('../../../docs/limits-and-credit.md', import.meta.url), 'utf8');

/** The lines of shell on the page, by the heading above them. */
function sections(): [heading: string, lines: string[]][] {
  return PAGE.split(/^## /m)
    .slice(1)
    .map((text): [string, string[]] => {
      const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, lines = '']) => lines);
      return [text.slice(0, text.indexOf('\n')), blocks];
    })
    .filter(([, blocks]) => blocks.length > 0);
}

/** Gives a reader's start to each section: an account with a key, a colleague with a seat. */
interface Reader {
  rawKey: string;
  /** On the colleague's seat. */
  seatKey: string;
  /** Replaces the page's placeholders. */
  placeholders: Record<string, string>;
}

let stack: Stack;

async function newReader(): Promise<Reader> {
  const [you, colleague, successor] = [
    await stack.newAccount(),
    await stack.newAccount(),
    await stack.newAccount(),
  ];
  const pool = await stack.id('pools', 'add', '--account', you.id, '--usd', '20.00');
  const key = await stack.newKey(you.id);
  const team = await stack.id('teams', 'create', '--account', you.id, '--name', 'ours');
  const seat = await stack.id('seats', 'add', '--team', team, '--account', colleague.id);
  await stack.json('pools', 'add', '--team', team, '--usd', '20.00');
  const seatKey = await stack.newKey(colleague.id, '--seat', seat);
  const response = await chat(key.key, 'simulated/chat-free');
  return {
    rawKey: key.key,
    seatKey: seatKey.key,
    placeholders: {
      'you@example.com': you.email,
      'colleague@example.com': colleague.email,
      'successor@example.com': successor.email,
      KEY_ID: key.id,
      // A team of its own, because the page adds the colleague to it.
      TEAM_ID: await stack.id('teams', 'create', '--account', you.id, '--name', 'other'),
      SEAT_ID: seat,
      POOL_ID: pool,
      REQUEST_ID: response.headers.get('x-request-id') ?? '',
      'http://127.0.0.1:8080': stack.gateway.baseUrl,
    },
  };
}

/** Runs lines of the page in bash. Only ids, addresses and the program behind `npm run` are given. */
function run(lines: string, { placeholders, rawKey }: Reader): Promise<string> {
  const given = Object.entries(placeholders).reduce(
    (text, [placeholder, value]) => text.replaceAll(placeholder, value),
    lines,
  );
  const npm = `npm() { shift 4; '${process.execPath}' '${MAIN}' "$@"; }\ncurl() { command curl -sf "$@"; }`;
  const env = {
    ...PROCESS_ENVIRONMENT,
    ADMIN_TOKEN: TEST_SECRETS.ADMIN_TOKEN,
    CONTROL_PLANE_ADDRESS: `127.0.0.1:${stack.gateway.controlPlanes[0]?.grpcPort}`,
    GATEWAY_API_KEY: rawKey,
  };
  return new Promise((resolve, reject) => {
    execFile('bash', ['-o', 'pipefail', '-ec', `${npm}\n${given}`], { env }, (error, out, err) => {
      if (error === null) resolve(out);
      else reject(new Error(`${given}\n${out}${err}`, { cause: error }));
    });
  });
}

function chat(rawKey: string, model: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${stack.gateway.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 5 }),
  });
}

const refused = z.object({ error: z.looseObject({ code: z.string() }) });

async function codeOf(response: Response): Promise<string> {
  return response.ok ? 'ok' : refused.parse(await response.json()).error.code;
}

const keyShown = z.object({
  budgets: z.array(z.object({ limit_usd: z.string(), window: z.string() })),
  limits: z.array(z.looseObject({ limit: z.number() })),
});

async function ownKey(rawKey: string) {
  const headers = { authorization: `Bearer ${rawKey}` };
  return keyShown.parse(await (await fetch(`${stack.gateway.baseUrl}/v1/key`, { headers })).json());
}

async function budgetsOf(rawKey: string): Promise<[number, string][]> {
  return (await ownKey(rawKey)).budgets.map(({ limit_usd, window }) => [Number(limit_usd), window]);
}

/** Checks what must be true after the lines of a section. */
const AFTER: Record<string, (reader: Reader, printed: string) => Promise<void>> = {
  'Cap a key at 25 USD a month': async ({ rawKey }) => {
    expect(await budgetsOf(rawKey)).toEqual([
      [2, 'day'],
      [25, 'month'],
    ]);
  },
  'Give an intern two models': async ({ seatKey, rawKey }) => {
    expect(await codeOf(await chat(seatKey, 'simulated/chat-pro'))).toBe('ok');
    expect(await codeOf(await chat(seatKey, 'other/chat'))).toBe('model_not_allowed');
    const images = await fetch(`${stack.gateway.baseUrl}/v1/images/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'simulated/image-free', prompt: 'A gate' }),
    });
    expect(await codeOf(images)).toBe('endpoint_not_allowed');
  },
  'Cap a team and each of its members': async ({ seatKey }) => {
    expect(await budgetsOf(seatKey)).toEqual([[100, 'month']]);
  },
  'Bill customers by end user': async ({ rawKey }, printed) => {
    expect(printed).toContain('customer-17');
    expect(await codeOf(await chat(rawKey, 'simulated/chat-free'))).toBe('end_user_required');
  },
  'Limit tokens per minute': async ({ rawKey }) => {
    expect((await ownKey(rawKey)).limits.map(({ limit }) => limit)).toEqual(
      expect.arrayContaining([200_000, 60]),
    );
  },
  'Allow only our office network': async ({ rawKey }) => {
    expect(await codeOf(await chat(rawKey, 'simulated/chat-free'))).toBe('network_not_allowed');
  },
  'See spend by project': async ({ rawKey, placeholders }, printed) => {
    expect(printed).toContain('alpha');
    // The key has the tag itself, and another one of the account needs it in its requests.
    expect(await codeOf(await chat(rawKey, 'simulated/chat-free'))).toBe('ok');
    const { key } = await stack.newKey(placeholders['you@example.com'] ?? '');
    expect(await codeOf(await chat(key, 'simulated/chat-free'))).toBe('tag_required');
    const tagged = { 'x-gateway-tags': 'project=beta' };
    expect(await codeOf(await chat(key, 'simulated/chat-free', tagged))).toBe('ok');
  },
  'Raise a budget until Friday': async ({ rawKey }) => {
    expect(await budgetsOf(rawKey)).toEqual([[60, 'month']]);
  },
};

describe('the lines of docs/limits-and-credit.md', () => {
  beforeAll(async () => {
    stack = await startStack({
      dataPlanes: 1,
      controlPlanes: 1,
      document: (baseUrl) => {
        const { providers, models } = simulatedCatalog(baseUrl);
        const named = JSON.stringify({ providers, models }).replaceAll('"sim/', '"simulated/');
        const document = JSON.parse(named.replaceAll('"sim"', '"simulated"'));
        const [chatModel] = document.models;
        return { ...document, models: [...document.models, { ...chatModel, id: 'other/chat' }] };
      },
    });
  });
  afterAll(() => stack?.[Symbol.asyncDispose]());

  it.each(sections())('under "%s" run', async (heading, blocks) => {
    const reader = await newReader();
    let printed = '';
    for (const lines of blocks) printed += await run(lines, reader);
    await AFTER[heading]?.(reader, printed);
  });

  it('are under each heading that says what is then true', () => {
    expect(sections().map(([heading]) => heading)).toEqual(expect.arrayContaining(Object.keys(AFTER)));
  });
});
