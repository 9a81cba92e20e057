import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { runGatewayctl } from '../../../../packages/cli/src/program.ts';
import {
  type AuditWriter,
  anyOf,
  below,
  type Changes,
  PATIENCE_MS,
  remember,
  takeOne,
  unique,
} from './audit-writers.ts';

export const made = z.looseObject({ id: z.string(), key: z.string().optional() });
const RETRIES = 100;
const RETRY_MS = 200;

interface Sent {
  method: string;
  path: string;
  token: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Sends a request to any of the control planes. @throws unless one responds with 2xx */
export async function send(urls: readonly string[], { body, headers, method, path, token }: Sent) {
  const response = await fetch(`${anyOf(urls)}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    signal: AbortSignal.timeout(PATIENCE_MS),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new RefusedError(response.status, `${method} ${path}: ${response.status} ${text}`);
  return { json: text === '' ? undefined : (JSON.parse(text) as unknown), headers: response.headers };
}

class RefusedError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Makes changes by the management API. Repeats every POST with its Idempotency-Key until it is answered. */
export function managementWriter(
  urls: readonly string[],
  token: string,
  accounts: readonly string[],
): AuditWriter {
  const posts: { request: Sent; id: string }[] = [];
  const post = async (path: string, body: unknown) => {
    const headers = { 'idempotency-key': unique() };
    const request = { method: 'POST', path, token, body, headers };
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = made.parse((await send(urls, request)).json);
        posts.push({ request, id: answer.id });
        return answer;
      } catch (error) {
        const isAnswered = error instanceof RefusedError && error.status < 500;
        if (isAnswered || attempt === RETRIES) throw error;
        await wait(RETRY_MS);
      }
    }
  };
  const patch = async (path: string, body: unknown) => {
    const { headers } = await send(urls, { method: 'GET', path, token });
    const etag = headers.get('etag') ?? '';
    await send(urls, { method: 'PATCH', path, token, body, headers: { 'if-match': etag } });
  };
  const remove = (path: string) => send(urls, { method: 'DELETE', path, token });
  const keys: string[] = [];
  const owned: string[] = [];
  const teams: string[] = [];
  const pools: string[] = [];
  const changes: Changes = [
    async () => {
      const rules = { requests_per_minute: 1 + below(1_000_000) };
      const { id, key = '' } = await post('/admin/v1/keys', {
        account_id: anyOf(accounts),
        name: unique(),
        rules,
      });
      return { action: 'api_key.created', objectId: remember(keys, id), secrets: [key] };
    },
    async () => {
      const id = anyOf(keys);
      await patch(`/admin/v1/keys/${id}`, { name: unique() });
      return { action: 'api_key.updated', objectId: id };
    },
    async () => {
      const id = takeOne(keys);
      const { id: newId, key = '' } = await post(`/admin/v1/keys/${id}/rotate`, { overlap_seconds: 60 });
      remember(keys, newId);
      return { action: 'api_key.rotated', objectId: id, secrets: [key] };
    },
    async () => {
      const id = takeOne(keys);
      await remove(`/admin/v1/keys/${id}`);
      return { action: 'api_key.revoked', objectId: id };
    },
    async () => {
      const { id } = await post('/admin/v1/accounts', { email: `${unique()}@example.com` });
      return { action: 'account.created', objectId: remember(owned, id) };
    },
    async () => {
      const id = anyOf(owned);
      await patch(`/admin/v1/accounts/${id}`, { name: unique() });
      return { action: 'account.updated', objectId: id };
    },
    async () => {
      const { id } = await post('/admin/v1/teams', { account_id: anyOf(accounts), name: unique() });
      return { action: 'team.created', objectId: remember(teams, id) };
    },
    async () => {
      const id = anyOf(teams);
      await patch(`/admin/v1/teams/${id}`, { name: unique() });
      return { action: 'team.updated', objectId: id };
    },
    async () => {
      const id = takeOne(teams);
      await remove(`/admin/v1/teams/${id}`);
      return { action: 'team.deleted', objectId: id };
    },
    async () => {
      const { id } = await post('/admin/v1/pools', { team_id: anyOf(teams), usd: '5.00', name: unique() });
      return { action: 'pool.created', objectId: remember(pools, id) };
    },
    async () => {
      const id = anyOf(pools);
      await patch(`/admin/v1/pools/${id}`, { usd: `${5 + below(1_000_000)}` });
      return { action: 'pool.changed', objectId: id };
    },
    async () => {
      const id = takeOne(pools);
      await remove(`/admin/v1/pools/${id}`);
      return { action: 'pool.removed', objectId: id };
    },
    async () => {
      const body = { name: unique(), scopes: ['keys:read'] };
      const { id, key = '' } = await post('/admin/v1/admin_keys', body);
      return { action: 'admin_key.created', objectId: id, secrets: [key] };
    },
  ];
  return {
    by: 'admin_key by api',
    change: () => anyOf(changes)(),
    /** Repeats every POST: each must return the object that it made. */
    async problems() {
      const found: string[] = [];
      for (const { request, id } of posts.slice(-MAX_REPEATED)) {
        const { headers, json } = await send(urls, request);
        const isFirst = made.parse(json).id === id && headers.get('idempotency-replayed') === 'true';
        if (!isFirst) found.push(`${request.path} repeated: ${JSON.stringify(json)}`);
      }
      return found;
    },
  };
}

const MAX_REPEATED = 200;

/** Makes changes by gatewayctl, each as one run of the program. @param by actor of the environment */
export function gatewayctlWriter(
  by: string,
  environment: Record<string, string>,
  accounts: readonly string[],
): AuditWriter {
  const run = async (...args: string[]) => {
    let [out, err] = ['', ''];
    const code = await runGatewayctl([...args, '--json'], {
      environment,
      defaultDataDir: '/nonexistent',
      catalogDir: '/nonexistent',
      inputIsTerminal: false,
      errorIsTerminal: false,
      writeOut: (chunk) => {
        out += chunk;
      },
      writeError: (chunk) => {
        err += chunk;
      },
      readStdin: async () => '',
      readLine: async () => '',
      readEnvFile: () => ({}),
    });
    if (code !== 0) throw new Error(`gatewayctl ${args.join(' ')}: ${err}${out}`);
    return made.parse(JSON.parse(out));
  };
  const keys: string[] = [];
  const teams: string[] = [];
  const changes: Changes = [
    async () => {
      const { id, key = '' } = await run('keys', 'create', anyOf(accounts), '--name', unique());
      return { action: 'api_key.created', objectId: remember(keys, id), secrets: [key] };
    },
    async () => {
      const id = anyOf(keys);
      await run('keys', 'rename', id, unique());
      return { action: 'api_key.updated', objectId: id };
    },
    async () => {
      const id = takeOne(keys);
      await run('keys', 'revoke', id);
      return { action: 'api_key.revoked', objectId: id };
    },
    async () => {
      const { id } = await run('teams', 'create', anyOf(accounts), '--name', unique());
      return { action: 'team.created', objectId: remember(teams, id) };
    },
    async () => {
      const id = anyOf(teams);
      await run('teams', 'set-limit', id, '--requests-per-minute', `${1 + below(1_000_000)}`);
      return { action: 'team.updated', objectId: id };
    },
  ];
  return { by, change: () => anyOf(changes)() };
}
