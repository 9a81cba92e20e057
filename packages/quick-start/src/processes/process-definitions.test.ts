import { expect, it } from 'vitest';
import { defineProcesses } from './process-definitions.ts';

const secrets = { ADMIN_TOKEN: 'a', API_KEY_LOOKUP_PEPPER: 'p', INTERNAL_TOKEN: 'i', SESSION_SECRET: 's' };
const both = (PORT: number) => ({ PORT, INTERNAL_PORT: PORT + 1 });
const ports = {
  'control-plane': { ...both(1), ADMIN_PORT: 10 },
  catalog: both(3),
  'data-plane': both(5),
  dashboard: both(7),
  'simulated-provider': { PORT: 9 },
};

it.each([
  ['0.0.0.0', '0.0.0.0'],
  ['::', '::'],
  ['my-laptop', '127.0.0.1'],
  ['', '127.0.0.1'],
])(
  'with HOST %j, the gateway and the dashboard listen on %s, and the other services on this machine',
  (HOST, expected) => {
    const definitions = defineProcesses({ HOST }, secrets, ports);
    const hostOf = (definition: { environment: Record<string, string | undefined> }) =>
      definition.environment.HOST;
    expect([hostOf(definitions.dataPlane()), hostOf(definitions.dashboard('db'))]).toEqual([
      expected,
      expected,
    ]);
    const others = [definitions.controlPlane('db'), definitions.catalog(), definitions.simulatedProvider()];
    expect(others.map(hostOf)).toEqual(['127.0.0.1', '127.0.0.1', '127.0.0.1']);
  },
);

it('only the dashboard gets the secrets of identity providers', () => {
  const OIDC = { OIDC_CLIENT_SECRET: 'one', OIDC_ENTRA_CLIENT_SECRET: 'two' };
  const definitions = defineProcesses(OIDC, secrets, ports);
  expect(definitions.dashboard('db').environment).toMatchObject(OIDC);
  const others = [definitions.controlPlane('db'), definitions.catalog(), definitions.dataPlane()];
  for (const { environment } of others) {
    expect([environment.OIDC_CLIENT_SECRET, environment.OIDC_ENTRA_CLIENT_SECRET]).toEqual([
      undefined,
      undefined,
    ]);
  }
});
