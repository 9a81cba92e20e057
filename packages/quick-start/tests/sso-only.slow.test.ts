import { expect, it } from 'vitest';
import { startWithoutNpm, temporaryDirectory } from './npm-start.ts';

const SSO_ONLY = {
  SSO_ONLY: 'true',
  OIDC_PROVIDERS: 'entra',
  OIDC_ENTRA_ISSUER: 'http://127.0.0.1:9',
  OIDC_ENTRA_CLIENT_ID: 'client',
  OIDC_ENTRA_CLIENT_SECRET: 'secret',
};

it('npm start works without passwords, and gives the account one when they are switched on', async () => {
  await using directory = temporaryDirectory();
  const without = startWithoutNpm(directory.path, [], SSO_ONLY);
  const file = await without.running();
  expect(without.output()).toContain('passwords are switched off (SSO_ONLY=true)');
  expect(without.output()).not.toMatch(/password \S+$/m);
  expect(file.dashboard_password).toBeUndefined();
  without.signal('SIGTERM');
  await without.exitCode;

  const start = startWithoutNpm(directory.path);
  const { dashboard_password } = await start.running();
  expect(start.output()).toMatch(/^ {2}Sign-in {4}you@example\.com {3}password \S+$/m);
  expect(dashboard_password).toEqual(expect.any(String));
});
