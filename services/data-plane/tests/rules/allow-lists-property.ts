import { PROVIDER_CREDENTIAL, withStarted } from '@model-gateway/test-kit';
import fc from 'fast-check';
import { expect } from 'vitest';
import { askRoute, ROUTES } from './ask-route.ts';
import { Allowed, levels, type RandomRequest, request } from './random-rules.ts';
import { PROVIDER_IDS } from './ruled-catalog.ts';
import { type Arrival, startRuledGateway } from './ruled-gateway.ts';
import { createRuledKey } from './ruled-key.ts';

const ruled = withStarted(() => startRuledGateway({ TRUST_PROXY: '1' }));

/** A response that a key without rules has created, and what it came from. */
interface Stored {
  id: string;
  modelId: string;
  provider: string;
}

/**
 * Tests with random rules and requests that nothing is sent where the rules of any level forbid it, and that
 * what all allow is served.
 */
export async function checkAllowLists(runs: number): Promise<void> {
  const wide = await createStored();
  let served = 0;
  let refused = 0;
  const requests = fc.array(request, { minLength: 4, maxLength: 12 });
  const failing = fc.option(fc.subarray([...PROVIDER_IDS], { minLength: 1 }), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(levels, requests, failing, async (rules, asked, broken) => {
      // Rules of accounts and teams would meet the keys of other runs.
      const isShared = rules.account === undefined && rules.end_users === undefined;
      const { rawKey } = await createRuledKey(ruled.gateway, rules, isShared ? wide.accountId : undefined);
      for (const provider of broken ?? [])
        ruled.providers[provider].setFaultOfKey(PROVIDER_CREDENTIAL, { status: 500 });
      try {
        for (const each of asked) {
          const allowed = new Allowed(rules, each.endUser);
          ruled.takeArrivals();
          const stored = isShared ? wide.stored[each.continues ?? -1] : undefined;
          const answer = await ask(rawKey, each, stored);
          const context = JSON.stringify({ rules, each, stored, broken, answer });
          for (const arrival of ruled.takeArrivals()) expectAllowed(allowed, each, arrival, context);
          if (answer.status === 200) served += 1;
          if (answer.status === 403) refused += 1;
          if (!allowed.serves(each)) expect(answer.status, context).toBe(403);
          else if (broken === undefined && stored === undefined) expect(answer.status, context).toBe(200);
        }
        for (const stored of isShared ? wide.stored : []) await readStored(rawKey, rules, stored);
      } finally {
        for (const provider of PROVIDER_IDS) ruled.providers[provider].setFaultOfKey(PROVIDER_CREDENTIAL, {});
      }
    }),
    { numRuns: runs, endOnFailure: true },
  );
  // Neither of them is the rare case.
  expect(served).toBeGreaterThan(runs);
  expect(refused).toBeGreaterThan(runs);
}

/** Creates a response with each model that a storing provider serves. */
async function createStored(): Promise<{ accountId: string; stored: readonly Stored[] }> {
  const { accountId, rawKey } = await createRuledKey(ruled.gateway, {});
  const stored: Stored[] = [];
  for (const model of ['acme/small', 'beta/small', 'beta/small', 'beta/large']) {
    ruled.takeArrivals();
    const answer = await askRoute(ruled.gateway, rawKey, 'responses', { model });
    const [arrival] = ruled.takeArrivals();
    stored.push({ id: JSON.parse(answer.body).id, modelId: model, provider: arrival?.provider ?? '' });
  }
  return { accountId, stored };
}

function ask(rawKey: string, request: RandomRequest, stored: Stored | undefined) {
  const { address, endUser, isList, names, route, stream } = request;
  const fields = {
    ...(isList ? { models: names } : { model: names[0] }),
    ...(stream ? { stream } : {}),
    ...(stored === undefined ? {} : { previous_response_id: stored.id }),
  };
  const headers = { 'x-forwarded-for': address, ...(endUser ? { 'x-gateway-end-user': 'ann' } : {}) };
  return askRoute(ruled.gateway, rawKey, route, fields, headers);
}

function expectAllowed(
  allowed: Allowed,
  { address, route }: RandomRequest,
  { modelId = '', provider }: Arrival,
  context: string,
): void {
  expect(allowed.client(address), context).toBe(true);
  expect(allowed.names('endpoints', ROUTES[route].capability), context).toBe(true);
  expect(allowed.names('models', modelId), `${modelId} ${context}`).toBe(true);
  expect(allowed.names('providers', provider), `${provider} ${context}`).toBe(true);
}

/** Asks about a response that another key of the account created. */
async function readStored(
  rawKey: string,
  rules: ConstructorParameters<typeof Allowed>[0],
  stored: Stored,
): Promise<void> {
  const address = '198.51.100.7';
  const allowed = new Allowed(rules, false);
  const { id, modelId, provider } = stored;
  const isAllowed =
    allowed.client(address) &&
    allowed.names('endpoints', 'chat') &&
    allowed.names('models', modelId) &&
    allowed.names('providers', provider);
  ruled.takeArrivals();
  for (const [method, below] of [
    ['GET', ''],
    ['GET', '/input_items'],
    ['POST', '/cancel'],
    ['DELETE', ''],
  ]) {
    // Later runs read it, too.
    if (method === 'DELETE' && isAllowed) continue;
    const answer = await fetch(`${ruled.gateway.baseUrl}/v1/responses/${id}${below}`, {
      method: method ?? '',
      headers: { authorization: `Bearer ${rawKey}`, 'x-forwarded-for': address },
    });
    await answer.text();
    const context = JSON.stringify({ rules, stored, method, below });
    expect(answer.status === 403, context).toBe(!isAllowed);
    for (const arrival of ruled.takeArrivals())
      expect({ isAllowed, provider: arrival.provider }, context).toEqual({ isAllowed: true, provider });
  }
}
