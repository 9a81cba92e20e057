import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../src/test-database.ts';
import { TEST_SECRETS } from '../src/test-secrets.ts';

/**
 * Starts a service in a process that lives on only if the service leaves something open. Sockets need a few
 * event-loop turns to close. The process waits two seconds, because an idle connection to the database closes
 * by itself after ten.
 */
const PROGRAM = `
  const [module, start, parse, ports] = process.argv.slice(1);
  const service = await import(module);
  const { TAKEN, ...environment } = process.env;
  for (const name of ports.split(',')) {
    const config = service[parse]({ ...environment, [name]: TAKEN });
    await service[start](config).then(() => console.log('started'), () => console.log(name, 'refused'));
  }
  const running = await service[start](service[parse](environment));
  await running.close();
  console.log('closed');
  let turns = 0;
  setInterval(() => {
    if (++turns < 100) return;
    console.log('still open:', process.getActiveResourcesInfo().join(' '));
    process.exit(1);
  }, 20).unref();
`;

let database: TestDatabase;
const taken = createServer();
beforeAll(async () => {
  database = await createTestDatabase();
  taken.listen(0, '127.0.0.1');
  await once(taken, 'listening');
});
afterAll(async () => {
  await database.drop();
  taken.close();
});

describe('the connections that a service leaves open', () => {
  it.for([
    ['data-plane', 'DataPlane', ['PORT', 'INTERNAL_PORT']],
    ['control-plane', 'ControlPlane', ['PORT', 'INTERNAL_PORT', 'ADMIN_PORT']],
    ['catalog', 'Catalog', ['PORT', 'INTERNAL_PORT']],
    ['dashboard', 'Dashboard', ['PORT', 'INTERNAL_PORT']],
  ] as const)(
    'the %s leaves nothing open when its port is taken or when it is closed',
    async ([folder, name, ports], { signal }) => {
      const module = new URL(`../../../services/${folder}/src/index.ts`, import.meta.url).href;
      const program = [
        '--input-type=module',
        '--eval',
        PROGRAM,
        module,
        `start${name}`,
        `parse${name}Config`,
        ports.join(),
      ];
      const address = taken.address();
      if (address === null || typeof address === 'string') throw new Error('no TCP port');
      const child = spawn(process.execPath, program, {
        env: {
          PATH: process.env.PATH,
          NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
          NODE_ENV: 'test',
          ...TEST_SECRETS,
          HOST: '127.0.0.1',
          PORT: '0',
          INTERNAL_PORT: '0',
          ADMIN_PORT: '0',
          TAKEN: String(address.port),
          CONTROL_PLANE_ADDRESS: '127.0.0.1:9',
          DATABASE_URL: database.url,
          REDIS_URL: inject('redis')?.url,
          LOG_LEVEL: 'silent',
          GRPC_VERBOSITY: 'NONE',
        },
        stdio: ['ignore', 'pipe', 'inherit'],
        // A process that stays alive is ended when the test has waited long enough.
        signal,
        killSignal: 'SIGKILL',
      });
      child.on('error', () => undefined);
      const [output, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      expect(output).toBe(`${ports.map((port) => `${port} refused\n`).join('')}closed\n`);
      expect(exitCode).toBe(0);
    },
  );
});
