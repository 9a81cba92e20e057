import { globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { until, withGateway } from '@model-gateway/test-kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Allowances } from '../../src/billing/allowances.ts';
import { OpenRequests } from '../../src/keys/open-requests.ts';
import { StreamLeases } from '../../src/limits/stream-leases.ts';
import { HeldRequests } from '../../src/settlement/held-requests.ts';
import { SettlementStream } from '../../src/settlement/settlement-stream.ts';
import { withoutBreakers } from '../providers/without-breakers.ts';
import { expectLedgerAgrees, payingKey } from './money-fixture.ts';

/** Every method of the classes in these folders is a step at which a request can fail. */
const FOLDERS = '{billing,capabilities,chat,http,observability,settlement,upstream}';
const SRC = new URL('../../src/', import.meta.url);
const require = createRequire(import.meta.url);
const CHAT = { messages: [{ role: 'user', content: 'hi' }], max_tokens: 20 };
const REQUESTS = {
  'a response': ['chat/completions', { ...CHAT, model: 'sim/chat-pro' }],
  'a stream': ['chat/completions', { ...CHAT, model: 'sim/chat-pro', stream: true }],
  'a free response': ['chat/completions', { ...CHAT, model: 'sim/chat-free' }],
  images: ['images/generations', { model: 'sim/image-pro', prompt: 'a house' }],
} as const;

const gateway = withGateway({ ownPools: true, overrides: withoutBreakers() });
let rawKey: string;
let account: string;
beforeAll(async () => {
  ({ account, rawKey } = await payingKey(gateway, '1000'));
});
afterAll(() => expectLedgerAgrees(gateway));

/** Calls that no request makes. */
const NOT_OF_REQUESTS = /^(SettlementQueue\.(take|acknowledge)|PayerAllowance\.giveBackSurplus)$/;

/** Calls of a method between the reservation and the settlement of the running request. */
class Steps {
  readonly calls = new Map<string, number>();
  isBetween = false;
  hasFailed = false;
  #failing: [name: string, call: number] | undefined;

  /** @param failing the method that fails, and at which of its calls */
  begin(...failing: [name: string, call: number] | []): void {
    this.calls.clear();
    this.hasFailed = false;
    this.#failing = failing.length === 0 ? undefined : failing;
  }

  reach(name: string): void {
    if (!this.isBetween || NOT_OF_REQUESTS.test(name)) return;
    const call = (this.calls.get(name) ?? 0) + 1;
    this.calls.set(name, call);
    if (this.#failing?.[0] !== name || this.#failing[1] !== call) return;
    this.hasFailed = true;
    throw new Error(`${name} fails`);
  }
}
const steps = new Steps();
/** The parts of the data plane that hold something of a request. */
const parts: {
  allowances?: Allowances;
  heldRequests?: HeldRequests;
  openRequests?: OpenRequests;
  settlement?: SettlementStream;
} = {};
/** Slots of the stream limit. */
let slots = 0;
const undo: (() => void)[] = [];

function isClass(value: unknown): value is { name: string; prototype: object } {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));
}

function replace(
  prototype: object,
  name: string,
  make: (original: (...args: unknown[]) => unknown) => unknown,
) {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
  if (typeof descriptor?.value !== 'function') return;
  undo.push(() => Object.defineProperty(prototype, name, descriptor));
  Object.defineProperty(prototype, name, { ...descriptor, value: make(descriptor.value) });
}

/** Finds a part when this method of it is called. */
function findPart(part: keyof typeof parts, prototype: object, method: string) {
  replace(
    prototype,
    method,
    (original) =>
      function (this: never, ...args: unknown[]) {
        parts[part] = this;
        return original.apply(this, args);
      },
  );
}

function classes() {
  const paths = globSync(`${FOLDERS}/*.ts`, { cwd: fileURLToPath(SRC) }).filter(
    (path) => !/test|worker/.test(path),
  );
  const modules = paths.map((path) => require(fileURLToPath(new URL(path, SRC))));
  return modules.flatMap((module: object) => Object.values(module)).filter(isClass);
}

/** Wraps the methods of all parts; those that mark the beginning and the end of a request last. */
beforeAll(async () => {
  for (const { name, prototype } of classes()) {
    for (const method of Object.getOwnPropertyNames(prototype)) {
      if (method === 'constructor') continue;
      replace(
        prototype,
        method,
        (original) =>
          function (this: unknown, ...args: unknown[]) {
            steps.reach(`${name}.${method}`);
            return original.apply(this, args);
          },
      );
    }
  }
  replace(
    HeldRequests.prototype,
    'add',
    (original) =>
      function (this: HeldRequests, ...args: unknown[]) {
        parts.heldRequests = this;
        original.apply(this, args);
        steps.isBetween = true;
      },
  );
  replace(
    HeldRequests.prototype,
    'release',
    (original) =>
      function (this: HeldRequests, ...args: unknown[]) {
        const result = original.apply(this, args);
        steps.isBetween = false;
        return result;
      },
  );
  findPart('settlement', SettlementStream.prototype, 'record');
  findPart('allowances', Allowances.prototype, 'settle');
  findPart('openRequests', OpenRequests.prototype, 'add');
  replace(
    StreamLeases.prototype,
    'hold',
    (original) =>
      function (this: StreamLeases, ...args: unknown[]) {
        const release = original.apply(this, args) as () => void;
        let isHeld = true;
        slots += 1;
        return () => {
          if (isHeld) slots -= 1;
          isHeld = false;
          release();
        };
      },
  );
});
afterAll(() => {
  for (const each of undo.toReversed()) each();
});

async function records(): Promise<number> {
  const sql = 'SELECT count(*)::int AS records FROM usage_records WHERE account_id = $1';
  return Number((await gateway.books.query(sql, [account]))[0]?.records);
}

/**
 * Sends a request, and waits until the data plane has nothing of it any more; if its
 * provider was asked, it has one record. @returns its status
 */
async function send(name: keyof typeof REQUESTS): Promise<number | undefined> {
  const [path, body] = REQUESTS[name];
  gateway.provider.clear();
  const before = await records();
  // A response that fails before its head is sent breaks the connection.
  const response = await gateway.ask(path, body, { key: rawKey }).catch(() => undefined);
  await until(() => parts.openRequests?.size === 0 && parts.heldRequests?.size === 0);
  steps.isBetween = false;
  await until(() => parts.allowances?.totals.reserved === 0n && slots === 0);
  await until(() => (parts.settlement?.pending ?? 0) === 0);
  const recorded = (await records()) - before;
  if (gateway.provider.requests.length > 0 || recorded > 1) expect(recorded).toBe(1);
  return response?.status;
}

it.each(Object.keys(REQUESTS) as (keyof typeof REQUESTS)[])(
  'a failure at any step between the reservation and the settlement of %s leaves nothing reserved',
  async (name) => {
    // The first one may fetch money.
    await send(name);
    steps.begin();
    expect(await send(name)).toBe(200);
    const calls = [...steps.calls];
    expect(calls.length).toBeGreaterThan(15);
    let failed = 0;
    for (const [step, count] of calls) {
      for (const call of new Set([1, count])) {
        steps.begin(step, call);
        await send(name);
        if (steps.hasFailed) failed += 1;
      }
    }
    expect(failed).toBeGreaterThan(calls.length / 2);
  },
);

it('a sweep settles a request whose exchange ended without its settlement', async () => {
  steps.begin();
  const before = await records();
  const { settleAbandoned } = HeldRequests.prototype;
  const { release } = HeldRequests.prototype;
  let failures = 0;
  const fail = () => {
    failures += 1;
    throw new Error('not now');
  };
  HeldRequests.prototype.release = fail;
  HeldRequests.prototype.settleAbandoned = fail;
  const sent = gateway.ask(...REQUESTS['a response'], { key: rawKey }).finally(() => {
    HeldRequests.prototype.release = release;
    HeldRequests.prototype.settleAbandoned = settleAbandoned;
  });
  expect([(await sent).status, failures]).toEqual([500, 2]);
  await until(() => parts.heldRequests?.size === 0 && parts.allowances?.totals.reserved === 0n);
  await until(async () => (await records()) === before + 1);
});
