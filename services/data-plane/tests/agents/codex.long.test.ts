import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CatalogDocumentInput } from '@model-gateway/shared';
import { type Books, openBooks, startGateway, type TestGateway, until } from '@model-gateway/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { catalogPricing, handPrices } from '../recorded/bill-by-hand.ts';
import { billOfCall } from './bill-of-call.ts';
import { type CodexRun, fetchCodex, runCodex } from './codex.ts';
import { type RecordingProxy, startRecordingProxy } from './recording-proxy.ts';

/**
 * The real Codex, fetched from npm. What it offers depends on how the name of the model begins: `gpt-5.5` gets a
 * freeform `apply_patch`; `gpt-6-sol` gets all tools in an item of the input, and calls them from code that it
 * writes; a name that Codex does not know gets a namespace of tools.
 */
const KINDS = [
  ['a simulated provider of Chat Completions alone', 'chat', '/v1/chat/completions'],
  ['the simulated Anthropic', 'claude', '/v1/messages'],
  ['a simulated provider of Responses', 'responses', '/v1/responses'],
] as const;
const PROVIDERS = { chat: 'sim', claude: 'sim-anthropic', responses: 'sim-responses' } as const;
const UPSTREAM_MODELS = {
  chat: 'sim-chat-pro',
  claude: 'sim-claude-pro',
  responses: 'sim-chat-pro',
} as const;
const PRICES = handPrices(0);

const stack = new AsyncDisposableStack();
let program: string;
let proxy: RecordingProxy;
let gateway: TestGateway;
let books: Books;

beforeAll(async () => {
  program = await fetchCodex();
  proxy = stack.use(await startRecordingProxy());
  gateway = stack.use(
    await startGateway({
      document: (baseUrl) => {
        proxy.target = baseUrl;
        return catalog(proxy.baseUrl);
      },
    }),
  );
  books = stack.use(openBooks(gateway.databaseUrl));
}, 15 * 60_000);
afterAll(() => stack.disposeAsync());
beforeEach(() => {
  proxy.calls.length = 0;
  gateway.provider.clear();
});

function catalog(baseUrl: string): CatalogDocumentInput {
  const provider = { base_url: baseUrl, credential_env: 'SIMULATED_API_KEY' };
  const names = KINDS.flatMap(([, kind]) => [
    { id: `sim/gpt-5.5-${kind}`, kind },
    { id: `sim/gpt-6-sol-${kind}`, kind },
    { id: `sim/${kind}`, kind },
  ]);
  return {
    providers: [
      { ...provider, id: 'sim', name: 'Simulated', kind: 'openai-compatible' },
      { ...provider, id: 'sim-anthropic', name: 'Simulated Anthropic', kind: 'anthropic' },
      {
        ...provider,
        id: 'sim-responses',
        name: 'Simulated Responses',
        kind: 'openai-compatible',
        apis: ['chat', 'responses'],
      },
    ],
    models: names.map(({ id, kind }) => ({
      id,
      name: id,
      capability: 'chat',
      tier: 'paid',
      context_length: 272_000,
      max_output_tokens: 64_000,
      upstreams: [{ provider: PROVIDERS[kind], model: UPSTREAM_MODELS[kind] }],
      pricing: catalogPricing(PRICES),
    })),
  };
}

/** The simulated providers call the tools that the lines of a task name, turn by turn. */
const PATCH = `*** Begin Patch
*** Update File: out.txt
@@
-hello "world"
+goodbye "world"
*** Add File: notes/new.txt
+\ttabs, é and 🌊
*** End Patch`;
const TASK = [
  'Create a file and change a word of it.',
  `use exec_command: ${JSON.stringify({ cmd: `echo 'hello "world"' > out.txt` })}`,
  `use apply_patch: ${JSON.stringify({ input: PATCH })}`,
  `use exec_command: ${JSON.stringify({ cmd: 'cat out.txt notes/new.txt > copy.txt' })}`,
].join('\n');
const TURNS = 4;

async function codex(model: string, task: string, rawKey: string): Promise<CodexRun> {
  return runCodex(program, { baseUrl: gateway.baseUrl, model, rawKey, task });
}

function printed({ answer, exitCode, folder, progress }: CodexRun): string {
  return `exit ${exitCode} in ${folder}\n${answer}\n${progress}`;
}

/** Its charges, once as many requests are settled as the provider has answered. */
async function expectExactBill(account: string): Promise<void> {
  let rows: Record<string, unknown>[] = [];
  await until(async () => {
    rows = await books.query('SELECT charged FROM usage_records WHERE account_id = $1', [account]);
    return rows.length === proxy.calls.length;
  });
  const charges = rows.map(({ charged }) => BigInt(String(charged))).sort();
  expect(charges).toEqual(proxy.calls.map((call) => billOfCall(call, PRICES)).sort());
}

describe('Codex', () => {
  it.each(KINDS)(
    'runs commands and applies a patch, and is billed to the nano-dollar: %s',
    async (_name, kind, path) => {
      const { accountId, rawKey } = await gateway.createKey();
      await using run = await codex(`sim/gpt-5.5-${kind}`, TASK, rawKey);
      expect(run.exitCode, printed(run)).toBe(0);
      const patched = 'goodbye "world"\n\ttabs, é and 🌊\n';
      expect(await readFile(join(run.folder, 'copy.txt'), 'utf8'), printed(run)).toBe(patched);
      expect(run.answer).not.toBe('');
      expect(run.progress).not.toContain('ERROR');
      expect(proxy.calls.map((call) => new URL(call.path, gateway.baseUrl).pathname)).toEqual(
        Array.from({ length: TURNS }, () => path),
      );
      const last = proxy.calls.at(-1)?.request ?? '';
      if (kind === 'claude') expect(last).toContain('"signature":');
      if (kind === 'responses') expect(last).toContain('"encrypted_content":"');
      await expectExactBill(accountId);
    },
  );

  it.each(KINDS)(
    'runs code that calls its tools, which an item of the input offers: %s',
    async (_name, kind) => {
      const { accountId, rawKey } = await gateway.createKey();
      const name = kind === 'responses' ? 'exec' : 'functions__exec';
      const input = `const patch = ${JSON.stringify(PATCH)};
await tools.exec_command({ cmd: "echo 'hello \\"world\\"' > out.txt" });
text(await tools.apply_patch(patch));`;
      const task = `Change a file.\nuse ${name}: ${JSON.stringify({ input })}`;
      await using run = await codex(`sim/gpt-6-sol-${kind}`, task, rawKey);
      expect(run.exitCode, printed(run)).toBe(0);
      expect(await readFile(join(run.folder, 'out.txt'), 'utf8'), printed(run)).toBe('goodbye "world"\n');
      expect(proxy.calls).toHaveLength(2);
      await expectExactBill(accountId);
    },
  );

  it.each(KINDS)('calls a tool of a namespace by its two names: %s', async (_name, kind) => {
    const { rawKey } = await gateway.createKey();
    const name = kind === 'responses' ? 'close_agent' : 'multi_agent_v1__close_agent';
    await using run = await codex(`sim/${kind}`, `use ${name}: {"target":"nobody"}`, rawKey);
    expect(run.exitCode, printed(run)).toBe(0);
    // What its own tool says; of a name that it does not know, Codex says "unsupported call".
    expect(run.progress).toContain('invalid agent id nobody');
    expect(proxy.calls).toHaveLength(2);
  });

  it.each(KINDS)('goes on by itself after a stream that broke: %s', async (_name, kind) => {
    const { rawKey } = await gateway.createKey();
    gateway.provider.script({ content: 'word '.repeat(50), truncate: { after_events: 4 } });
    await using run = await codex(`sim/gpt-5.5-${kind}`, 'Say hello.', rawKey);
    expect(run.exitCode, printed(run)).toBe(0);
    expect(run.progress).toContain('Reconnecting... 1/5');
    expect(proxy.calls).toHaveLength(2);
  });

  it.each(KINDS)('tells its user of missing credit as what it is: %s', async (_name, kind) => {
    const poor = await gateway.admin.call(10_000, 'accounts', 'createAccount', {
      email: `codex-${kind}@example.com`,
      name: 'Poor',
    });
    const { rawKey } = await gateway.createKey(poor.id);
    await using run = await codex(`sim/gpt-5.5-${kind}`, 'Say hello.', rawKey);
    expect(run.exitCode, printed(run)).toBe(1);
    expect(run.progress).toMatch(/402 Payment Required: This request may cost up to .+ request id: req_/);
    expect(proxy.calls).toEqual([]);
  });

  it.each(KINDS)('tells its user of a limit as what it is: %s', async (_name, kind) => {
    const account = await gateway.createAccount();
    const { rawKey } = await gateway.createKey(account);
    const concurrentStreams = { value: 1 };
    await gateway.admin.call(10_000, 'accounts', 'setLimits', { account, concurrentStreams });
    gateway.provider.script({ token_delay_ms: 1_000, content: 'word '.repeat(500) });
    const abort = new AbortController();
    const stream = await fetch(`${gateway.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sim/chat', stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
      signal: abort.signal,
    });
    expect(stream.status).toBe(200);
    await using run = await codex(`sim/gpt-5.5-${kind}`, 'Say hello.', rawKey);
    abort.abort();
    expect(run.exitCode, printed(run)).toBe(1);
    expect(run.progress).toMatch(/last status: 429 Too Many Requests, request id: req_/);
    expect(gateway.provider.requests).toHaveLength(1);
  });
});
