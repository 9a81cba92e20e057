import { createLogger } from '@model-gateway/service-kit';
import { hasRole } from '@model-gateway/shared/access';
import { openSql, type Sql } from '@model-gateway/test-kit/open-sql';
import { TEST_SECRETS } from '@model-gateway/test-kit/test-secrets';
import { until } from '@model-gateway/test-kit/until';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApp } from '../src/app.ts';
import { createContext } from '../src/context.ts';
import { parseDashboardConfig } from '../src/index.ts';
import { PAGES } from '../src/pages/serve-pages.ts';
import type { HolderAccess } from '../src/routes/api-route.ts';
import { apiRoutes } from '../src/routes/api-routes.ts';
import { errorResponse } from '../wire/error.ts';
import { countWaiting } from './observe-sign-ins.ts';
import { signedIn } from './people-fixture.ts';
import { type Attempt, routeCases, type Sent } from './route-cases.ts';
import { objectsOf, type Person, signUpOwner, signUpPeople } from './route-people.ts';
import { Browser, createKey, withServer } from './server-fixture.ts';

const site = withServer({ catalog: true }, (gateway) => ({
  API_BASE_URL: gateway.baseUrl,
  CATALOG_URL: `http://127.0.0.1:${gateway.catalog?.port}`,
}));
const context = createContext(
  parseDashboardConfig({ ...TEST_SECRETS, DATABASE_URL: 'postgres://localhost:9/none' }),
  { log: createLogger({ service: 'test', level: 'silent' }) },
);
afterAll(() => context.client.close());

const ROUTES = apiRoutes(context).map((route) => ({ ...route, name: `${route.method} ${route.path}` }));
const WHO = [
  'owner',
  'admin',
  'developer',
  'viewer',
  'holder of another account',
  'operator of the installation',
  'auditor of the installation',
];
let sql: Sql;
let people: Record<string, Person>;
let cases: ReturnType<typeof routeCases>;
/** Ids, keys and addresses by account id. No other account may see them. */
const secrets = new Map<string, string[]>();

function person(who: string): Person {
  return people[who] ?? raise(`there is no ${who}`);
}

beforeAll(async () => {
  sql = openSql(site.gateway.databaseUrl);
  people = await signUpPeople(site);
  const { gateway, server } = site;
  const withSql = { gateway, server, sql };
  cases = routeCases(withSql, await signUpOwner(site));
  for (const who of ['owner', 'holder of another account']) {
    const of = person(who);
    const make = objectsOf(withSql, of);
    const { key, rawKey } = await createKey(of.browser, 'Key');
    const ids = [key.id, rawKey, await make.request(), await make.seat(), await make.pool()];
    ids.push(await make.adminKey(), (await make.invitation()).id, (await make.offer()).id);
    secrets.set(of.account.id, [of.account.id, of.account.email, ...ids]);
  }
});

afterAll(() => sql[Symbol.asyncDispose]());

beforeEach(() => sql.run('DELETE FROM dashboard_rate_limits'));

/** Returns the owner of an account in which a person has no role. */
function elsewhere({ account }: Person): Person {
  const owner = person('owner');
  return account.id === owner.account.id ? person('holder of another account') : owner;
}

async function send(browser: Browser, method: string, sent: Sent) {
  const [path, body] = typeof sent === 'string' ? [sent] : sent;
  const response = await browser.fetch(path, { method, ...(body !== undefined && { body }) });
  const text = await response.text();
  const error = response.ok ? undefined : errorResponse.safeParse(JSON.parse(text)).data?.error;
  return {
    status: response.status,
    caching: response.headers.get('cache-control'),
    text,
    says: error?.message ?? '',
    code: error?.code,
  };
}

/** Returns the events of an account. First waits for those of sign-ins, which come after the change. */
async function changesOf({ account }: Person): Promise<unknown[]> {
  await until(async () => (await countWaiting(sql)) === 0);
  return await sql.rows(
    `SELECT id FROM audit_events WHERE account_id = $1 AND way <> 'system' AND outcome = 'done'`,
    account.id,
  );
}

function isAllowed({ installation, role }: Person, least: HolderAccess): boolean {
  if (least === 'sign-in') return true;
  if (least === 'auditor') return installation !== undefined;
  return least === 'operator' ? installation === least : hasRole(role, least);
}

const REFUSED: Record<string, string> = { auditor: 'auditor in the installation' };
const needed = (least: HolderAccess) => `needs the role ${REFUSED[least] ?? `${least} in the account`}`;

it('every route has a case, and every case has a route', () => {
  expect(Object.keys(cases).sort()).toEqual(ROUTES.map(({ name }) => name).sort());
});

it('the server serves these routes, its pages and its health, and nothing else', () => {
  const { stack } = createApp(context, { folder: '/nowhere', page: () => '' }).router;
  const served = stack.flatMap(({ route }) => {
    const methods = new Set(route?.stack.flatMap(({ method }) => method?.toUpperCase() ?? []));
    return methods.size > 2
      ? [String(route?.path)]
      : [...methods].map((method) => `${method} ${route?.path}`);
  });
  const others = [String(['/api', '/api/*path']), 'GET /health', ...PAGES];
  expect(stack.filter(({ handle }) => 'stack' in handle)).toEqual([]);
  expect(served.sort()).toEqual([...ROUTES.map(({ name }) => name), ...others].sort());
});

it.each([...PAGES, '/health'])('%s is the same for everybody', async (path) => {
  const read = async (browser: Browser) => {
    const response = await browser.fetch(path.replace('*path', 'usage'));
    return [response.status, (await response.text()).replaceAll(/nonce="[^"]*"|"uptime_seconds":\d+/g, '')];
  };
  const [status, page] = await read(new Browser(site.server));
  expect(status).toBe(200);
  for (const who of WHO) expect(await read(person(who).browser)).toEqual([status, page]);
});

describe.each(ROUTES)('$name', ({ access, method, name }) => {
  const caseOf = () => cases[name] ?? raise(`${name} has no case`);
  const isPublic = access === 'public';

  it(isPublic ? 'needs no session' : 'is closed to somebody without a session', async () => {
    const owner = person('owner');
    const { attempts, status } = caseOf();
    const sent = await attempts[0].ask(owner, owner);
    const answer = await send(new Browser(site.server), method, sent);
    if (isPublic) expect(answer.status).toBe(status);
    else {
      const { caching, code } = answer;
      expect([answer.status, code, caching]).toEqual([401, 'signed_out', 'no-store']);
    }
  });

  it.each(WHO)(`is open to the %s exactly if the least role ${access} allows it`, async (who) => {
    const { attempts, changesSession = false } = caseOf();
    for (const attempt of attempts) {
      const by = person(who);
      const browser = changesSession ? await signedIn(site, by.email) : by.browser;
      await check(attempt, { ...by, browser });
    }
  });

  async function check({ ask, isOwn = false, kind = 'object', least }: Attempt, by: Person): Promise<void> {
    const { status } = caseOf();
    const needs = isPublic ? 'sign-in' : (least ?? access);
    const mayDo = isAllowed(by, needs);
    const own = await send(by.browser, method, await ask(by, by));
    if (mayDo) expect(own.status, own.says).toBe(status);
    else {
      expect([own.status, own.code]).toEqual([403, 'permission_denied']);
      expect(own.says.toLowerCase()).toContain(needed(isPublic || isAllowed(by, access) ? needs : access));
    }
    if (needs !== 'auditor') expectNothingOf(elsewhere(by), own.text);
    if (isOwn && mayDo && by.account.id === person('owner').account.id) {
      const others = await send(by.browser, method, await ask(person('owner'), by));
      expect(others.status).toBe(by.role === 'developer' ? 404 : status);
    }
    if (kind === 'plain') return;
    const other = elsewhere(by);
    const sent = await ask(other, by);
    const before = await changesOf(other);
    const answer = await send(by.browser, method, sent);
    expect(await changesOf(other)).toEqual(before);
    if (kind === 'filter' && mayDo) {
      expect(answer.status).toBe(status);
      expectNothingOf(other, answer.text);
    } else if (mayDo) expect([answer.status, answer.code]).toEqual([404, 'not_found']);
    else expect([403, 404]).toContain(answer.status);
  }
});

function raise(message: string): never {
  throw new Error(message);
}

function expectNothingOf({ account }: Person, text: string): void {
  for (const secret of secrets.get(account.id) ?? []) expect(text).not.toContain(secret);
}
