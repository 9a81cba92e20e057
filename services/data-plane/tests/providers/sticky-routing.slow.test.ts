import { until, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import {
  type Conversation,
  conversations,
  costOf,
  ENVIRONMENT,
  keyOf,
  nextTurns,
  runConversations,
  stickyCatalog,
  WEIGHTS,
} from './sticky-fixture.ts';

/** Enough to tell the costs apart. */
const CONVERSATIONS = 50;
const TURNS = 10;
/** Enough to see the weights. */
const MANY = 200;
const BROKEN = 4;

const gateway = withGateway({
  dataPlanes: 4,
  provider: { apiKey: WEIGHTS.map(keyOf), automaticCache: true, tokenDelayMs: 0 },
  environment: ENVIRONMENT,
  document: stickyCatalog,
});

const converse = (model: string, count = CONVERSATIONS, turns = TURNS) =>
  runConversations(gateway, { model, count, turns });

const last = ({ credentials }: Conversation) => credentials.at(-1);

function cachedShare(all: readonly Conversation[]): number {
  const cached = all.reduce((sum, { cachedTokens }) => sum + cachedTokens, 0);
  return cached / all.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
}

async function expectCheaper(before: string, spread: Conversation[], after: string, sticky: Conversation[]) {
  const cost = {
    spread: await costOf(gateway, before, CONVERSATIONS * TURNS),
    sticky: await costOf(gateway, after, CONVERSATIONS * TURNS),
  };
  const figures = (nanoUsd: number, all: Conversation[]) =>
    `${(nanoUsd / 1e9).toFixed(4)} USD, ${(cachedShare(all) * 100).toFixed(1)} % of the input cached`;
  process.stdout.write(`${before}: ${figures(cost.spread, spread)}\n`);
  process.stdout.write(`${after}: ${figures(cost.sticky, sticky)}\n`);
  expect(cachedShare(sticky)).toBeGreaterThan(0.75);
  expect(cachedShare(spread)).toBeLessThan(0.7);
  expect(cost.sticky).toBeLessThan(0.75 * cost.spread);
}

describe('conversations over four data planes and five credentials', () => {
  it.each([
    ['cost less than if they are spread', 'own'],
    ['cost less than if they are spread, also where writing to the cache costs', 'claude'],
  ])('stay with their credentials, and %s', async (_, provider) => {
    const sticky = await converse(`${provider}/sticky`);
    for (const { credentials } of sticky) expect(new Set(credentials).size).toBe(1);
    const spread = await converse(`${provider}/spread`);
    for (const { credentials } of spread) expect(new Set(credentials).size).toBeGreaterThan(1);
    await expectCheaper(`${provider}/spread`, spread, `${provider}/sticky`, sticky);
  });

  it('are spread by weight, move if their credential is refused, alone, and come back when it is accepted', async () => {
    const all = conversations(gateway, 'own/broken', MANY);
    await nextTurns(all);
    const own = all.map(last);
    for (const weight of WEIGHTS) {
      const share = weight / 15;
      const count = own.filter((credential) => credential === weight).length;
      // Five standard deviations.
      const bound = 5 * Math.sqrt(MANY * share * (1 - share));
      expect(Math.abs(count - MANY * share)).toBeLessThan(bound);
    }
    gateway.provider.revokeKey(keyOf(BROKEN));
    for (let turn = 0; turn < 2; turn++) {
      expect(await nextTurns(all)).toEqual(new Set([200]));
      for (const [index, conversation] of all.entries()) {
        if (own[index] === BROKEN) expect(last(conversation)).not.toBe(BROKEN);
        else expect(last(conversation)).toBe(own[index]);
      }
    }
    // The moved ones stay together, too.
    for (const { credentials } of all) expect(new Set(credentials.slice(1)).size).toBe(1);
    gateway.provider.restoreKey(keyOf(BROKEN));
    const moved = all.filter((_, index) => own[index] === BROKEN);
    expect(moved.length).toBeGreaterThan(0);
    await until(async () => {
      await nextTurns(moved);
      return moved.every((one) => last(one) === BROKEN);
    });
    await nextTurns(all);
    expect(all.map(last)).toEqual(own);
  });
});

describe('a conversation over several upstreams', () => {
  it('moves from a broken upstream to another one, alone, and comes back', async () => {
    const all = await converse('own/upstreams', 12, 2);
    const own = all.map(({ credentials }) => credentials[0]);
    gateway.provider.setFaultOfKey(keyOf(3), { status: 503 });
    await nextTurns(all);
    for (const [index, { credentials }] of all.entries()) {
      if (own[index] === 3) expect(credentials.at(-1)).not.toBe(3);
      else expect(credentials.at(-1)).toBe(own[index]);
    }
    gateway.provider.setFaultOfKey(keyOf(3), {});
    await until(async () => {
      await nextTurns(all);
      return all.every(({ credentials }, index) => credentials.at(-1) === own[index]);
    });
  });
});
