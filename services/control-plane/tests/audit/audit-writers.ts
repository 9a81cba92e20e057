import { randomUUID } from 'node:crypto';
import type { AskOf, ControlPlaneClient, MethodOf } from '@model-gateway/contracts';
import type { callsTo } from '../fixtures/control-planes-fixture.ts';

/** A way to make changes, for the drill. Each lane calls `change` again and again. */
export interface AuditWriter {
  /** Actor type and way of its events, such as `user by dashboard`. */
  by: string;
  /**
   * Makes one random change.
   * @throws when it was refused, or when nobody knows whether it was made
   */
  change(): Promise<ConfirmedChange>;
  /** Returns what is wrong once everything runs again. */
  problems?(): Promise<string[]>;
}

/** A change that the control plane confirmed. */
export interface ConfirmedChange {
  action: string;
  objectId: string;
  /** Raw keys and tokens in the response. */
  secrets?: readonly string[];
}

export type Changes = readonly (() => Promise<ConfirmedChange>)[];

export const PATIENCE_MS = 10_000;

/** Makes changes as an operator does, by gRPC with ADMIN_TOKEN. */
export function operatorWriter(client: ControlPlaneClient, accounts: readonly string[]): AuditWriter {
  const call: ReturnType<typeof callsTo> = (service, method, ask) =>
    client.callOnce(PATIENCE_MS, service, method, ask);
  const keys: string[] = [];
  const pools: string[] = [];
  const others: string[] = [];
  const changes: Changes = [
    async () => {
      const request = { account: anyOf(accounts), name: unique(), rulesJson: randomRules() };
      const { key, rawKey } = await call('accounts', 'createKey', request);
      return { action: 'api_key.created', objectId: remember(keys, key?.id), secrets: [rawKey] };
    },
    async () => {
      const keyId = anyOf(keys);
      await call('accounts', 'renameKey', { keyId, name: unique() });
      return { action: 'api_key.updated', objectId: keyId };
    },
    async () => {
      const keyId = anyOf(keys);
      await call('rules', 'setRules', { owner: { kind: 'key', id: keyId }, rulesJson: randomRules() });
      return { action: 'rules.changed', objectId: keyId };
    },
    async () => {
      const keyId = takeOne(keys);
      const { key, rawKey } = await call('accounts', 'rotateKey', { keyId, overlapMs: '60000' });
      remember(keys, key?.id);
      return { action: 'api_key.rotated', objectId: keyId, secrets: [rawKey] };
    },
    async () => {
      const keyId = takeOne(keys);
      await call('accounts', 'revokeKey', { keyId });
      return { action: 'api_key.revoked', objectId: keyId };
    },
    async () => {
      const account = anyOf(accounts);
      await call('accounts', 'setLimits', { account, paidPerMinute: { value: 1 + below(1_000_000) } });
      return { action: 'limits.changed', objectId: account };
    },
    async () => {
      const owner = { kind: 'account', id: anyOf(accounts) };
      const request = { owner, name: unique(), includedUsd: '5', resets: 'never' };
      const { id } = await call('pools', 'addPool', request);
      return { action: 'pool.created', objectId: remember(pools, id) };
    },
    async () => {
      const poolId = anyOf(pools);
      await call('pools', 'changePool', { poolId, includedUsd: String(5 + below(1_000_000) / 1_000) });
      return { action: 'pool.changed', objectId: poolId };
    },
    async () => {
      const poolId = takeOne(pools);
      await call('pools', 'removePool', { poolId });
      return { action: 'pool.removed', objectId: poolId };
    },
    async () => {
      const request = { email: `${unique()}@example.com`, name: '' };
      const { id } = await call('accounts', 'createAccount', request);
      return { action: 'account.created', objectId: remember(others, id) };
    },
    async () => {
      const account = anyOf(others);
      const { token } = await call('accounts', 'resetPassword', { account });
      return { action: 'password_reset.issued', objectId: account, secrets: [token] };
    },
    async () => {
      const account = takeOne(others);
      await call('accounts', 'suspendAccount', { account });
      return { action: 'account.suspended', objectId: account };
    },
  ];
  return { by: 'operator_token by cli', change: () => anyOf(changes)() };
}

/** Makes changes as holders of accounts do, by the RPCs of the dashboard. */
export function dashboardWriter(client: ControlPlaneClient, accounts: readonly string[]): AuditWriter {
  const call = <Method extends MethodOf<'dashboard'>>(
    accountId: string,
    method: Method,
    ask: AskOf<'dashboard', Method>,
  ) => {
    const signInId = `user_of_${accountId}`;
    const email = `${accountId}@example.com`;
    const user = { accountId, signInId, email, clientIp: '192.0.2.7', requestId: unique() };
    return client.callOnce(PATIENCE_MS, 'dashboard', method, ask, user);
  };
  const keys: { accountId: string; id: string }[] = [];
  const changes: Changes = [
    async () => {
      const accountId = anyOf(accounts);
      const { key, rawKey } = await call(accountId, 'createHolderKey', { name: unique() });
      const id = key?.id ?? '';
      keys.push({ accountId, id });
      return { action: 'api_key.created', objectId: id, secrets: [rawKey] };
    },
    async () => {
      const { accountId, id } = takeOne(keys);
      await call(accountId, 'revokeHolderKey', { keyId: id });
      return { action: 'api_key.revoked', objectId: id };
    },
    async () => {
      const { accountId, id } = anyOf(keys);
      await call(accountId, 'setHolderRules', { owner: { kind: 'key', id }, rulesJson: randomRules() });
      return { action: 'rules.changed', objectId: id };
    },
    async () => {
      const accountId = anyOf(accounts);
      const owner = { kind: 'end_users', id: accountId };
      await call(accountId, 'setHolderRules', { owner, rulesJson: randomRules() });
      return { action: 'rules.changed', objectId: accountId };
    },
  ];
  return { by: 'user by dashboard', change: () => anyOf(changes)() };
}

export function unique(): string {
  return `u${randomUUID()}`;
}

function randomRules(): string {
  return JSON.stringify({ requests_per_minute: 1 + below(1_000_000_000) });
}

export function below(limit: number): number {
  return Math.floor(Math.random() * limit);
}

/** @throws when there is none yet */
export function anyOf<Item>(items: readonly Item[]): Item {
  const item = items[below(items.length)];
  if (item === undefined) throw new Error('there is none yet');
  return item;
}

export function takeOne<Item>(items: Item[]): Item {
  const item = anyOf(items);
  items.splice(items.indexOf(item), 1);
  return item;
}

export function remember(ids: string[], id = ''): string {
  ids.push(id);
  return id;
}
