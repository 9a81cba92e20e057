import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findViolations } from './check-boundaries.ts';

const DATABASE = '@model-gateway/database';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'boundaries-'));
  manifest('', { devDependencies: ['vitest'] });
  manifest('packages/shared', { dependencies: ['zod', '@model-gateway/service-kit'] });
  manifest('packages/service-kit', { dependencies: ['pino'] });
  manifest('packages/dialects', { dependencies: ['@model-gateway/limits'] });
  manifest('packages/limits', {});
  manifest('packages/database', { dependencies: ['pg'] });
  manifest('packages/cli', { dependencies: ['@model-gateway/data-plane', '@model-gateway/service-kit'] });
  manifest('services/data-plane', { dependencies: [DATABASE, '@model-gateway/control-plane', 'pg'] });
  manifest('services/dashboard', {
    dependencies: ['zod', 'express', '@model-gateway/contracts', '@model-gateway/shared'],
    devDependencies: ['react', 'vite'],
  });
  manifest('packages/contracts', {});
  manifest('packages/quick-start', { dependencies: [DATABASE] });
  manifest('services/control-plane', { dependencies: [DATABASE, 'pg', '@prisma/client', '@grpc/grpc-js'] });
});

function schema(): void {
  write(
    'prisma/schema.prisma',
    `model ApiKey {\n  id String @id\n\n  @@map("api_keys")\n}\n
model DashboardUser {\n  id String @id\n\n  @@map("dashboard_users")\n}\n`,
  );
}

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

function manifest(at: string, lists: Record<string, string[]>): void {
  const entries = Object.entries(lists).map(([list, names]) => [
    list,
    Object.fromEntries(names.map((name) => [name, '1.0.0'])),
  ]);
  const name = at === '' ? 'repository' : `@model-gateway/${at.split('/')[1]}`;
  write(join(at, 'package.json'), JSON.stringify({ name, ...Object.fromEntries(entries) }));
}

describe('the boundary check', () => {
  it.each([
    ['services/data-plane/src/a.ts', "import { x } from '@model-gateway/control-plane';", /never by import/],
    ['packages/cli/src/a.ts', "import { x } from '@model-gateway/data-plane';", /do not know the services/],
    [
      'packages/dialects/src/a.ts',
      "import { x } from '@model-gateway/limits';",
      /packages\/dialects imports nothing/,
    ],
    [
      'packages/shared/src/a.ts',
      "import { x } from '@model-gateway/service-kit';",
      /imports nothing of this/,
    ],
    ['services/data-plane/src/a.ts', `import { x } from '${DATABASE}';`, /open the database$/],
    ['services/data-plane/src/a.test.ts', `import { x } from '${DATABASE}/sub';`, /open the database$/],
    ['packages/quick-start/src/start-stack.ts', `import '${DATABASE}';`, /open the database$/],
    ['services/data-plane/src/a.ts', "import { Pool } from 'pg';", /know the database driver$/],
    ['services/control-plane/src/rpc/a.ts', "import { Pool } from 'pg';", /only \*-store\.ts/],
    ['services/control-plane/src/rpc/a.ts', "import '@prisma/client/x';", /only \*-store\.ts/],
    ['services/control-plane/src/keys/a.ts', "import '@grpc/grpc-js';", /only the adapters in rpc\//],
    ['packages/cli/src/a.ts', "import { x } from '../../service-kit/src/x.ts';", /imported by its name/],
    ['packages/cli/src/a.ts', "import { x } from 'undici';", /must be in the dependencies/],
    ['packages/cli/src/a.ts', "import { x } from 'vitest';", /must be in the dependencies/],
    ['packages/cli/src/a.ts', 'await import(name);', /must be a literal/],
    ['services/dashboard/web/src/a.ts', "import '../../src/sessions/read.ts';", /share wire\/ alone/],
    ['services/dashboard/web/src/a.tsx', "import '@model-gateway/dashboard';", /share wire\/ alone/],
    ['services/dashboard/web/src/a.tsx', "import '@model-gateway/contracts';", /runs in a browser/],
    ['services/dashboard/web/src/a.tsx', "import 'undici';", /must be in the dependencies/],
    ['services/dashboard/src/pages/a.ts', "import '../../web/src/b.ts';", /share wire\/ alone/],
    ['services/dashboard/src/a.ts', "import 'react';", /must be in the dependencies/],
    ['services/dashboard/wire/a.ts', "import '../web/src/b.ts';", /share wire\/ alone/],
    ['services/dashboard/wire/a.ts', "import '../src/b.ts';", /share wire\/ alone/],
    ['services/dashboard/wire/a.ts', "import '@model-gateway/contracts';", /runs in a browser/],
  ])('reports %s with %s', async (file, text, says) => {
    write(file, text);
    const violations = await findViolations(folder);
    expect(violations).toHaveLength(1);
    expect(violations[0]).toContain(`${file}:1 imports `);
    expect(violations[0]).toMatch(says);
  });

  it.each([
    "import type { X } from 'undici';",
    "import { type X } from 'undici';",
    "export type { X } from 'undici';",
    "export * from 'undici';",
    "const x = await import('undici');",
    'const x = await import(`undici`);',
    "let x: import('undici').Pool;",
    "// first line\nimport a,\n  { b }\n  from 'undici/sub';",
  ])('sees the import in %s', async (text) => {
    write('packages/cli/src/a.ts', text);
    expect(await findViolations(folder)).toHaveLength(1);
  });

  it.each([
    "import type { X } from 'undici';",
    "export * from 'undici';",
    "export { x } from 'undici';",
    "const Page = lazy(() => import('undici'));",
    "let x: import('undici').Pool;",
    'await import(name);',
  ])('sees the import in %s beside JSX', async (text) => {
    const page = "export const page = <p title={'import \"x\"'}>That isn't one: import 'undici'</p>;";
    write('services/dashboard/web/src/a.tsx', `${page}\n${text}`);
    const violations = await findViolations(folder);
    expect(violations).toHaveLength(1);
    expect(violations[0]).toContain('services/dashboard/web/src/a.tsx:2 imports ');
  });

  it('ignores imports in text and comments', async () => {
    write(
      'packages/cli/src/a.ts',
      `// import 'undici';\nexport const text = "import 'undici'";\n/import 'x'/.test(text);`,
    );
    expect(await findViolations(folder)).toEqual([]);
  });

  it('allows every import that the architecture allows', async () => {
    write('services/control-plane/src/keys/key-store.ts', `import 'pg'; import '${DATABASE}';`);
    write(
      'services/control-plane/src/database/notification-listener.ts',
      "import type { Client } from 'pg';",
    );
    write('services/control-plane/src/context.ts', `import '${DATABASE}'; import './keys/key-store.ts';`);
    write('services/control-plane/tests/a.test.ts', "import 'pg'; import 'vitest';");
    write('packages/database/src/a.ts', "import 'pg'; import 'node:fs'; import 'fs'; import.meta.url;");
    write('packages/cli/tests/a.test.ts', "import '../../../services/control-plane/src/index.ts';");
    write('packages/cli/src/a.ts', "import '@model-gateway/service-kit'; import '@model-gateway/cli';");
    write('packages/cli/node_modules/x/index.ts', "import 'undici';");
    write('services/dashboard/src/a.ts', "import 'express'; import '../wire/a.ts'; import './b.ts';");
    write('services/dashboard/wire/a.ts', "import 'zod'; import './b.ts'; import '@model-gateway/shared';");
    write('services/dashboard/web/src/a.tsx', "import 'react'; import '../../wire/a.ts'; import './b.tsx';");
    write('services/dashboard/vite.config.ts', "import 'vite';");
    write('services/dashboard/tests/a.test.ts', "import '../web/src/a.ts'; import '../src/index.ts';");
    write('scripts/service.ts', "import '../packages/database/src/index.ts';");
    write('packages/quick-start/src/demo-usage/demo-usage-store.ts', `import '${DATABASE}';`);
    expect(await findViolations(folder)).toEqual([]);
  });

  it.each([
    ['services/data-plane/src/steps/a.ts', 'GatewayError'],
    ['packages/openapi/src/a.ts', 'GatewayError'],
    ['services/dashboard/src/routes/a.ts', 'DashboardError'],
  ])('reports an error that %s makes outside the catalogues', async (file, name) => {
    write(file, `export function refuse() {\n  throw new ${name}('not_found', 'There is none.');\n}`);
    const violations = await findViolations(folder);
    expect(violations).toHaveLength(1);
    expect(violations[0]).toContain(`${file}:2 makes a ${name}: `);
  });

  it('allows the catalogues and tests to make errors', async () => {
    write('packages/shared/src/errors/key-errors.ts', "new GatewayError('not_found', 'There is none.');");
    write('services/dashboard/src/errors/sign-in-errors.ts', "new DashboardError('conflict', 'No.');");
    write('services/data-plane/tests/a.test.ts', "new GatewayError('not_found', 'There is none.');");
    expect(await findViolations(folder)).toEqual([]);
  });

  it.each([
    ['await this.#prisma.apiKey.count();', 'apiKey'],
    ["await this.#prisma['apiKey'].count();", 'apiKey'],
    ['await this.#prisma[table].count();', '[table]'],
    ['const { dashboardUser, apiKey: keys } = this.#prisma;', 'apiKey'],
    ['await this.#prisma.$queryRaw`SELECT id FROM dashboard_users JOIN api_keys ON true`;', 'api_keys'],
    ['await this.#prisma.$executeRaw`DELETE FROM "API_KEYS"`;', 'api_keys'],
    ["await this.#prisma.$queryRawUnsafe('SELECT 1');", '$queryRawUnsafe'],
  ])("reports a table that is not the dashboard's in %s", async (statement, name) => {
    schema();
    for (const file of ['services/dashboard/src/sign-in/a-store.ts', 'services/dashboard/src/context.ts']) {
      write(file, `// first line\n${statement}`);
    }
    const violations = await findViolations(folder);
    expect(violations).toHaveLength(2);
    expect(violations[0]).toContain(`services/dashboard/src/context.ts:2 names ${name}: `);
    expect(violations[1]).toContain(`services/dashboard/src/sign-in/a-store.ts:2 names ${name}: `);
  });

  it('allows the dashboard to name its own tables in SQL, and others outside of SQL', async () => {
    schema();
    const own =
      'const { dashboardUser } = this.#prisma; await this.#prisma.$queryRaw`SELECT FROM dashboard_users`;';
    write(
      'services/dashboard/src/sign-in/a-store.ts',
      `// Not api_keys.\nconst path = \`/api_keys\`; ${own}`,
    );
    write('services/dashboard/src/keys/key-entry.ts', 'answer.apiKey; sql`SELECT FROM api_keys`;');
    write('services/control-plane/src/keys/a-store.ts', 'await prisma.apiKey.count();');
    expect(await findViolations(folder)).toEqual([]);
  });

  const PLANE = 'services/control-plane/src';
  const handler = (maker: string, of: string) =>
    `export const handlers = {\n  RevokeKey: ${maker}(${of}),\n};`;

  it.each([
    [
      handler('change', "context, 'RevokeKey', 'user', (actor, request) => revoke(context, request)"),
      /no operation/,
    ],
    [
      handler('change', "context, 'RevokeKey', 'user', (_, request) => revoke(context, request)"),
      /no operation/,
    ],
    [handler('change', "context, 'RevokeKey', 'user', revoke"), /no operation/],
    [handler('read', "context, 'GetKey', (request) => revoke(context, request)"), /another name/],
    [handler('read', 'context, name, (request) => revoke(context, request)'), /another name/],
    ["export const nobody =\n  { type: 'system', way: 'system' };", /creates an actor/],
  ])('reports a handler of a change that could lose its actor: %s', async (source, reason) => {
    write(`${PLANE}/rpc/key-service.ts`, source);
    const violations = await findViolations(folder);
    expect(violations).toHaveLength(1);
    expect(violations[0]).toMatch(reason);
    expect(violations[0]).toContain(`${PLANE}/rpc/key-service.ts:2 `);
  });

  it('allows handlers that pass their actor to an operation, that read, and that report for data planes', async () => {
    write(
      `${PLANE}/rpc/key-service.ts`,
      `export const handlers = {
        RevokeKey: change(context, 'RevokeKey', 'user', async (by, { keyId }) => {
          const own = await requireOwnKey(context, by.accountId, keyId);
          return message(await revokeKey(context, by, { keyId: own.id }));
        }),
        ListKeys: read(context, 'ListKeys', (request) => listKeys(context, request)),
        ReportProbes: traffic(context, 'ReportProbes', (request) => reportProbes(context, request)),
      };`,
    );
    write(`${PLANE}/rpc/derive-actor.ts`, "export const system = { type: 'system', way: 'system' };");
    write('services/control-plane/tests/a.test.ts', "const system = { type: 'system', way: 'system' };");
    expect(await findViolations(folder)).toEqual([]);
  });

  const store = (methods: string, rest = '') =>
    `import { revokeKeys } from '../data-planes/key-event-store.ts';
     ${rest}
     export class KeyStore extends PrismaStore {
       ${methods}
     }`;
  const inTransaction = (work: string) =>
    `return await this.prisma.$transaction(async (transaction) => { ${work} });`;
  const RECORD = 'await recordChange(transaction, actor, change);';

  beforeEach(() => {
    write(
      `${PLANE}/data-planes/key-event-store.ts`,
      'export async function revokeKeys(database: Database) { await database.$executeRaw`UPDATE api_keys SET a = 1`; }',
    );
    write(
      'prisma/functions/remove_pool.sql',
      'CREATE OR REPLACE FUNCTION remove_pool(p_id text) … DELETE FROM pools …',
    );
    write(
      'prisma/functions/next_month.sql',
      'CREATE OR REPLACE FUNCTION next_month() … -- DELETE FROM pools\n SELECT …',
    );
  });

  it.each([
    ['Prisma', 'async rename(actor: Actor) { await this.prisma.apiKey.update({}); }'],
    ['SQL', 'async rename(actor: Actor) { await this.prisma.$executeRaw`DELETE FROM api_keys`; }'],
    ['a SQL function', 'async rename(actor: Actor) { await this.prisma.$queryRaw`SELECT remove_pool(1)`; }'],
    ['a function of another store', 'async rename(actor: Actor) { await revokeKeys(this.prisma); }'],
    ['a function beside it', 'async rename(actor: Actor) { await update(this.prisma); }'],
    ['a statement beside it', 'async rename(actor: Actor) { await this.prisma.$executeRaw(STATEMENT); }'],
    [
      'a transaction without an actor',
      `async rename(id: string) { ${inTransaction(`await update(transaction); ${RECORD}`)} }`,
    ],
    [
      'an actor that is not its first parameter',
      `async rename(id: string, actor: Actor) { ${inTransaction(`await update(transaction); ${RECORD}`)} }`,
    ],
    [
      'a transaction whose record has another actor',
      `async rename(by: Actor) { ${inTransaction(`await update(transaction); ${RECORD}`)} }`,
    ],
    [
      'a record after its transaction',
      `async rename(actor: Actor) { ${inTransaction('await update(transaction);')} ${RECORD} }`,
    ],
    [
      'a record outside of the transaction',
      `async rename(actor: Actor) { ${inTransaction('await update(transaction); await recordChange(this.prisma, actor, change);')} }`,
    ],
  ])('reports a method of a store that writes with %s', async (_, method) => {
    const rest =
      'async function update(client: Client) { await client.apiKey.update({}); }\n' +
      'const STATEMENT = Prisma.sql`INSERT INTO api_keys VALUES (1)`;';
    write(`${PLANE}/keys/key-store.ts`, store(method, rest));
    const violations = await findViolations(folder);
    expect(violations).toHaveLength(1);
    expect(violations[0]).toContain(`${PLANE}/keys/key-store.ts:5 KeyStore.rename writes without recording`);
  });

  it('reports the database client outside stores', async () => {
    write(`${PLANE}/keys/rename-key.ts`, '// first line\nawait context.prisma.apiKey.update({});');
    expect(await findViolations(folder)).toEqual([
      `${PLANE}/keys/rename-key.ts:2 uses the database client: only stores may`,
    ]);
  });

  it('allows stores to read, to record what they write, and to write without an actor where a list says so', async () => {
    const rest = `async function record(transaction: Transaction, by: UserActor) {
        await recordChange(transaction, by, change);
      }`;
    const methods = `
      async find() { this.#known.delete(1); return await this.prisma.$queryRaw\`SELECT next_month() FOR UPDATE\`; }
      async rename(actor: Actor) { ${inTransaction(`await transaction.apiKey.update({}); ${RECORD}`)} }
      async create(by: UserActor) { ${inTransaction('await revokeKeys(transaction); await record(transaction, by);')} }
      async purge(actor: Actor) { await this.rename(actor); }
      async moveHash() { await this.prisma.apiKey.updateMany({}); }
      async prune() { await this.prisma.apiKey.deleteMany({}); }`;
    write(`${PLANE}/keys/key-store.ts`, store(methods, rest));
    write(
      `${PLANE}/status/probe-store.ts`,
      'export class ProbeStore { async report() { await this.prisma.probe.create({}); } }',
    );
    expect(await findViolations(folder)).toEqual([]);
  });

  it('finds nothing in this repository', async () => {
    const repository = fileURLToPath(new URL('..', import.meta.url));
    expect(await findViolations(repository)).toEqual([]);
  });
});

describe('the check for import cycles', () => {
  const SRC = 'services/control-plane/src';

  it('reports files that import each other, also by a type or in a test', async () => {
    write('packages/cli/src/a.ts', "import type { B } from './b.ts';");
    write('packages/cli/src/b.ts', "import './c.ts';");
    write('packages/cli/src/c.ts', "export { a } from './a.ts';");
    write('packages/cli/tests/d.ts', "import './e.ts'; import '../src/a.ts';");
    write('packages/cli/tests/e.ts', "import './d.ts';");
    const [ofSources, ofTests, ...others] = await findViolations(folder);
    expect(ofSources).toMatch(
      /cli\/src\/a\.ts → .*b\.ts → .*c\.ts → .*a\.ts: files import each other in a cycle/,
    );
    expect(ofTests).toMatch(/cli\/tests\/d\.ts → .*e\.ts → .*d\.ts: files/);
    expect(others).toEqual([]);
  });

  it('reports packages that import each other by their names', async () => {
    manifest('packages/contracts', { dependencies: ['@model-gateway/service-kit'] });
    manifest('packages/service-kit', { dependencies: ['@model-gateway/contracts'] });
    write('packages/contracts/src/a.ts', "import '@model-gateway/service-kit';");
    write('packages/service-kit/src/a.ts', "import '@model-gateway/contracts';");
    const [found, ...others] = await findViolations(folder);
    expect(found).toMatch(/: packages import each other in a cycle/);
    expect(others).toEqual([]);
  });

  it('reports folders of a service that import each other, and where they do', async () => {
    write(`${SRC}/keys/a.ts`, "import '../teams/a.ts';");
    write(`${SRC}/teams/a.ts`, "// first line\nimport type { B } from '../pools/deep/b.ts';");
    write(`${SRC}/pools/deep/b.ts`, '');
    write(`${SRC}/pools/c.ts`, "export * from '../keys/b.ts';");
    write(`${SRC}/keys/b.ts`, '');
    const [found, ...others] = await findViolations(folder);
    expect(found).toContain(
      `${SRC}/keys → ${SRC}/teams → ${SRC}/pools → ${SRC}/keys: folders of a service import each other`,
    );
    expect(found).toContain(`${SRC}/teams/a.ts:2 imports ../pools/deep/b.ts`);
    expect(others).toEqual([]);
  });

  it('reports a folder that imports the file that wires its service', async () => {
    write(`${SRC}/context.ts`, "import './keys/a.ts';");
    write(`${SRC}/keys/a.ts`, "import type { B } from './b.ts';");
    write(`${SRC}/keys/b.ts`, "import type { Context } from '../context.ts';");
    expect(await findViolations(folder)).toHaveLength(2);
  });

  it('ignores tests when it compares folders', async () => {
    write(`${SRC}/keys/a.ts`, "import '../teams/a.ts';");
    write(`${SRC}/teams/a.ts`, '');
    write(`${SRC}/teams/a.test.ts`, "import '../keys/a.ts';");
    expect(await findViolations(folder)).toEqual([]);
  });
});
