import { describe, expect, it } from 'vitest';
import { credentialJson, credentialTables, credentialWarning } from './credential-tables.ts';

const told = (setIn: number, missingIn: number, unknownIn: number, configurations: string[] = ['unknown']) =>
  credentialJson({
    providerId: 'acme',
    variable: 'ACME_API_KEY',
    setIn,
    missingIn,
    unknownIn,
    models: configurations.map((configuration, index) => ({ modelId: `acme/${index}`, configuration })),
  });
const nobody = (count: number) => told(0, 2, 0, new Array<string>(count).fill('not_configured'));

describe('the warning of a credential', () => {
  it('says that no data plane has it, and names the models that cannot be called', () => {
    expect(credentialWarning(nobody(1))).toBe(
      'no data plane has ACME_API_KEY, so provider acme cannot be used, and nobody can call acme/0: ' +
        'set it with gatewayctl credentials set ACME_API_KEY',
    );
    expect(credentialWarning(nobody(8))).toContain(
      'nobody can call acme/0, acme/1, acme/2, acme/3, acme/4 and 3 more models: set it',
    );
    expect(credentialWarning(told(0, 1, 0, ['partly_configured']))).toContain('cannot be used: set it');
  });

  it('counts the data planes that have it, and those that do not report it', () => {
    expect(credentialWarning(told(2, 1, 0))).toContain('2 of 3 data planes have ACME_API_KEY');
    expect(credentialWarning(told(1, 1, 1))).toMatch(
      /^1 of 3 data planes has .*\(1 of an earlier release does not report it\)/,
    );
    expect(credentialWarning(told(0, 1, 1))).toMatch(/^0 of 2 data planes have /);
  });

  it('does not call the provider unusable if it has further credentials', () => {
    const oneOfSeveral = {
      ...told(0, 2, 0, ['configured']),
      configuration: 'configured',
      is_one_of_several: true,
    };
    expect(credentialWarning(oneOfSeveral)).toBe(
      'no data plane has ACME_API_KEY, which is one of the credentials of provider acme: ' +
        'set it with gatewayctl credentials set ACME_API_KEY',
    );
    expect(credentialTables([oneOfSeveral])).toEqual([
      expect.stringMatching(/^acme +ACME_API_KEY +0 of 2 have it +configured$/m),
    ]);
  });

  it('does not call a credential missing that no data plane has reported', () => {
    expect(credentialWarning(told(0, 0, 2))).toMatch(/^it is not known whether/);
    expect(credentialWarning(told(0, 0, 0))).toMatch(/^no data plane is running, so it is not known whether/);
  });
});

describe('the credential tables of the status', () => {
  it('are absent when every data plane has every credential', () => {
    expect(credentialTables([told(2, 0, 0, ['configured'])])).toEqual([]);
  });

  it('list at most twenty models, and count the others', () => {
    const [providers, models] = credentialTables([nobody(25)]);
    expect(providers).toMatch(/^acme +ACME_API_KEY +0 of 2 have it +not configured$/m);
    expect(models?.match(/not configured/g)).toHaveLength(20);
    expect(models).toMatch(/… and 5 more models: --json lists all\.\n$/);
  });
});
