import { afterAll, expect, it } from 'vitest';
import { ACCOUNT_ROLES, type AccountRole, hasRole } from '../../packages/shared/src/access/index.ts';
import { TEST_SECRETS } from '../../packages/test-kit/src/test-secrets.ts';
import { RPC_ACCESS, type RpcAccess } from '../../services/control-plane/src/access/rpc-access.ts';
import { ROUTES } from '../../services/control-plane/src/management/routes/index.ts';
import { namedByBoundKey } from '../../services/control-plane/src/management/rpc/account-of-request.ts';
import { SCIM_PATH } from '../../services/control-plane/src/scim/scim-resources.ts';
import { SCIM_ROUTES } from '../../services/control-plane/src/scim-http/scim-router.ts';
import { parseDashboardConfig } from '../../services/dashboard/src/config.ts';
import { createContext } from '../../services/dashboard/src/context.ts';
import { apiRoutes } from '../../services/dashboard/src/routes/api-routes.ts';
import { markdownTable } from './markdown-table.ts';
import { readPage } from './pages.ts';

const BETWEEN = /(?<=<!-- access: .+ -->\n\n).*?(?=<!-- end of access -->)/s;

it('the tables of access in docs/roles.md are those of the code (-u writes them)', async () => {
  const page = readPage('docs/roles.md');
  expect(page).toMatch(BETWEEN);
  const tables = [
    '### Routes of the dashboard',
    dashboardRouteTable(),
    '### Calls of the dashboard',
    dashboardTable(),
    '### Calls of operators',
    operatorTable(),
    '### Routes of the management API',
    routeTable(),
    '### Routes of SCIM',
    scimTable(),
  ].join('\n\n');
  await expect(page.replace(BETWEEN, () => `${tables}\n\n`)).toMatchFileSnapshot('../../docs/roles.md');
});

const dashboard = createContext(
  parseDashboardConfig({ ...TEST_SECRETS, DATABASE_URL: 'postgres://localhost:9/none' }),
);
afterAll(() => dashboard.client.close());

function dashboardRouteTable(): string {
  const rows = apiRoutes(dashboard).map(({ access, method, path }) => {
    const role = ACCOUNT_ROLES.find((each) => each === access);
    return accessRow(`${method} ${path}`, role, needsOf(access));
  });
  return markdownTable([['route', ...ACCOUNT_ROLES, 'needs'], ...rows]);
}

function needsOf(access: ReturnType<typeof apiRoutes>[number]['access']): string {
  if (access === 'public') return 'no sign-in';
  return access === 'sign-in' ? 'a sign-in' : `${access} of the installation`;
}

/** @param needs shown if no role in the account is needed */
function accessRow(name: string, least: AccountRole | undefined, needs: string): string[] {
  const cells = ACCOUNT_ROLES.map((each) => (least === undefined || hasRole(each, least) ? 'yes' : 'no'));
  return [`\`${name}\``, ...cells, least === undefined ? needs : ''];
}

const { DashboardService, ...OTHERS } = RPC_ACCESS;

function dashboardTable(): string {
  const rows = Object.entries<RpcAccess>(DashboardService).map(([rpc, { installation, role }]) =>
    accessRow(rpc, role, installation === undefined ? 'no role' : `${installation} of the installation`),
  );
  return markdownTable([['call', ...ACCOUNT_ROLES, 'needs'], ...rows]);
}

const NAMED_BY_BOUND_KEYS = { account: 'yes', owner: 'for the account or its end users', none: 'no' };

function operatorTable(): string {
  const rows = Object.entries(OTHERS).flatMap(([service, rpcs]) =>
    Object.entries<RpcAccess>(rpcs)
      .filter(([, { callers }]) => callers.includes('operator'))
      .map(([rpc, { scope }]) => [
        `\`${service}/${rpc}\``,
        `\`${scope}\``,
        NAMED_BY_BOUND_KEYS[namedByBoundKey(`${service}/${rpc}`) ?? 'none'],
      ]),
  );
  return markdownTable([['call', 'scope of an admin key', 'with a key bound to an account'], ...rows]);
}

function scopeOf(path: string): string {
  return path.endsWith('/:method') ? 'that of the method, as above' : 'any';
}

function routeTable(): string {
  const rows = ROUTES.map(({ method, path, isInstallationWide, isOfAccount, scope }) => [
    `\`${method} ${path}\``,
    scope === undefined ? scopeOf(path) : `\`${scope}\``,
    isInstallationWide ? 'no' : isOfAccount ? 'only' : 'yes',
  ]);
  return markdownTable([['route', 'scope', 'with a key bound to an account'], ...rows]);
}

function scimTable(): string {
  const rows = SCIM_ROUTES.map(({ method, path }) => [
    `\`${method.toUpperCase()} ${SCIM_PATH}${path}\``,
    /^\/(Users|Groups)/.test(path) ? 'those of its identity provider' : 'the same for all',
  ]);
  return markdownTable([['route', 'what a SCIM token gets'], ...rows]);
}
