import { describe, expect, it } from 'vitest';
import { parseDashboardConfig } from './config.ts';

const DATABASE_URL = 'postgresql://user:password@localhost/gateway';
const PRODUCTION = {
  NODE_ENV: 'production',
  DATABASE_URL,
  INTERNAL_TOKEN: 'a'.repeat(32),
  SESSION_SECRET: 'b'.repeat(32),
  PUBLIC_URL: 'https://dashboard.example.com/',
};

function problems(environment: Record<string, string>): string {
  try {
    parseDashboardConfig(environment);
    return '';
  } catch (error) {
    return String(error);
  }
}

describe('settings of the dashboard', () => {
  it('require only a database in development', () => {
    expect(parseDashboardConfig({ DATABASE_URL })).toMatchObject({
      port: 8090,
      internalPort: 9090,
      publicUrl: 'http://localhost:8090',
      signUpOpen: true,
      sessionSecretIsDevelopmentValue: true,
      apiBaseUrl: 'http://127.0.0.1:8080',
      apiInternalUrl: 'http://127.0.0.1:8080',
      identityProviders: [],
      ssoOnly: false,
      allowedEmailDomains: undefined,
      product: { name: 'Model Gateway' },
      hidesUpstreams: false,
    });
    expect(problems({})).toMatch(/DATABASE_URL: is required/);
  });

  it('name every secret and address that production lacks', () => {
    const lacking = problems({ NODE_ENV: 'production', DATABASE_URL });
    for (const name of ['SESSION_SECRET', 'INTERNAL_TOKEN', 'PUBLIC_URL'])
      expect(lacking).toContain(`${name}: `);
    expect(
      problems({ ...PRODUCTION, SESSION_SECRET: 'development-session-secret-not-for-production' }),
    ).toMatch(/SESSION_SECRET: is the development secret/);
    expect(parseDashboardConfig(PRODUCTION).publicUrl).toBe('https://dashboard.example.com');
  });

  it('require https in production for a PUBLIC_URL that is not loopback', () => {
    expect(problems({ ...PRODUCTION, PUBLIC_URL: 'http://dashboard.example.com' })).toMatch(
      /PUBLIC_URL: must begin/,
    );
    expect(parseDashboardConfig({ ...PRODUCTION, PUBLIC_URL: 'http://localhost:8090' }).publicUrl).toBe(
      'http://localhost:8090',
    );
  });

  it.each(['ftp://example.com', 'https://example.com/dashboard', 'https://user@example.com', 'example.com'])(
    'reject %s as PUBLIC_URL',
    (url) => {
      expect(problems({ DATABASE_URL, PUBLIC_URL: url })).toMatch(/PUBLIC_URL: expected/);
    },
  );

  it('accept the API address with and without /v1', () => {
    for (const url of [
      'https://api.example.com',
      'https://api.example.com/v1',
      'https://api.example.com/v1/',
    ]) {
      expect(parseDashboardConfig({ DATABASE_URL, API_BASE_URL: url })).toMatchObject({
        apiBaseUrl: 'https://api.example.com',
        apiInternalUrl: 'https://api.example.com',
      });
    }
  });

  it('send the password of a mail server over TLS or loopback only', () => {
    const mailOf = (SMTP_URL: string, more: Record<string, string> = {}) =>
      parseDashboardConfig({ DATABASE_URL, SMTP_URL, ...more }).mail;
    expect(parseDashboardConfig({ DATABASE_URL }).mail).toBeUndefined();
    expect(mailOf('smtp://mail.example.com')).toEqual({
      url: 'smtp://mail.example.com',
      from: 'Model Gateway <no-reply@localhost>',
      requiresTls: false,
    });
    const PUBLIC_URL = 'https://dashboard.example.com';
    expect(mailOf('smtp://a:b@mail.example.com:587', { PUBLIC_URL })).toMatchObject({
      from: 'Model Gateway <no-reply@dashboard.example.com>',
      requiresTls: true,
    });
    expect(mailOf('smtps://a:b@mail.example.com', { PUBLIC_URL: 'http://127.0.0.1:8090' })).toMatchObject({
      from: 'Model Gateway <no-reply@localhost>',
      requiresTls: false,
    });
    expect(mailOf('smtp://a:b@127.0.0.1:1025', { MAIL_FROM: 'G <g@example.com>' })).toMatchObject({
      from: 'G <g@example.com>',
      requiresTls: false,
    });
    for (const SMTP_URL of [
      'https://mail.example.com',
      'mail.example.com',
      'smtp://mail.example.com/inbox',
    ]) {
      expect(problems({ DATABASE_URL, SMTP_URL })).toMatch(/SMTP_URL: expected smtp:/);
    }
    for (const MAIL_FROM of ['nobody', 'a@example.com\r\nBcc: b@example.com']) {
      expect(problems({ DATABASE_URL, MAIL_FROM })).toMatch(/MAIL_FROM: expected an e-mail address/);
    }
  });

  it('require the three settings of an identity provider together', () => {
    const oidc = { OIDC_ISSUER: 'https://id.example.com/', OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: 'y' };
    expect(problems({ DATABASE_URL, OIDC_ISSUER: oidc.OIDC_ISSUER })).toMatch(/must be set together/);
    expect(parseDashboardConfig({ DATABASE_URL, ...oidc }).identityProviders).toEqual([
      {
        id: 'oidc',
        issuer: 'https://id.example.com',
        clientId: 'x',
        clientSecret: 'y',
        name: 'single sign-on',
        emailDomains: [],
        groupsClaim: 'groups',
        scopes: [],
      },
    ]);
  });

  const ENTRA = {
    OIDC_ENTRA_ISSUER: 'https://login.microsoftonline.com/8a1b/v2.0',
    OIDC_ENTRA_CLIENT_ID: 'entra-client',
    OIDC_ENTRA_CLIENT_SECRET: 'entra-secret',
    OIDC_ENTRA_EMAIL_DOMAINS: 'example.com, Example.ORG',
    OIDC_ENTRA_GROUPS_CLAIM: 'roles',
    OIDC_ENTRA_SCOPES: 'groups offline_access',
  };
  const GOOGLE = {
    OIDC_GOOGLE_ISSUER: 'https://accounts.google.com',
    OIDC_GOOGLE_CLIENT_ID: 'google-client',
    OIDC_GOOGLE_CLIENT_SECRET: 'google-secret',
    OIDC_GOOGLE_NAME: 'Google',
  };

  it('name several identity providers, beside the single one', () => {
    const several = { DATABASE_URL, OIDC_PROVIDERS: 'entra, google', ...ENTRA, ...GOOGLE };
    const { identityProviders } = parseDashboardConfig({
      ...several,
      OIDC_ISSUER: 'https://id.example.com',
      OIDC_CLIENT_ID: 'x',
      OIDC_CLIENT_SECRET: 'y',
    });
    expect(identityProviders.map(({ id, name }) => [id, name])).toEqual([
      ['oidc', 'single sign-on'],
      ['entra', 'entra'],
      ['google', 'Google'],
    ]);
    expect(identityProviders[1]).toMatchObject({
      issuer: 'https://login.microsoftonline.com/8a1b/v2.0',
      clientSecret: 'entra-secret',
      emailDomains: ['example.com', 'example.org'],
      groupsClaim: 'roles',
      scopes: ['groups', 'offline_access'],
    });
  });

  it('report the problems of every identity provider at once, with all others', () => {
    const lacking = problems({
      OIDC_PROVIDERS: 'entra,okta',
      OIDC_ENTRA_ISSUER: 'https://login.microsoftonline.com/common/v2.0',
      OIDC_ENTRA_CLIENT_ID: 'x',
      OIDC_OKTA_EMAIL_DOMAINS: '*.example.com',
      OIDC_OKTA_SCOPES: 'groups,email "x"',
      SSO_ONLY: 'yes',
      PRODUCT_NAME: '<b>',
    });
    for (const line of [
      'DATABASE_URL: is required',
      'SSO_ONLY: expected true or false',
      'PRODUCT_NAME: expected a name',
      'OIDC_ENTRA_ISSUER: expected the issuer of one tenant',
      'OIDC_OKTA_SCOPES: expected scopes with a space between them',
      'OIDC_ENTRA_CLIENT_SECRET: is required',
      'OIDC_OKTA_ISSUER',
      'OIDC_OKTA_CLIENT_ID: is required',
      'OIDC_OKTA_EMAIL_DOMAINS[0]: expected domains such as example.com',
    ]) {
      expect(lacking).toContain(line);
    }
    expect(problems({ DATABASE_URL, OIDC_PROVIDERS: 'entra,entra', ...ENTRA })).toMatch(
      /names a provider twice/,
    );
    expect(problems({ DATABASE_URL, OIDC_PROVIDERS: 'credential' })).toMatch(
      /OIDC_PROVIDERS\[0\]: is reserved/,
    );
  });

  it('say what to add when OIDC_PROVIDERS does not name a provider with settings', () => {
    expect(problems({ DATABASE_URL, OIDC_PROVIDERS: 'google', ...GOOGLE, ...ENTRA })).toBe(
      'ConfigError: OIDC_PROVIDERS: does not name entra, whose settings OIDC_ENTRA_… are set: add entra',
    );
    expect(problems({ DATABASE_URL, OIDC_ENTRA_ISSUER: '' })).toBe('');
  });

  it('require an identity provider where there are no passwords', () => {
    expect(problems({ DATABASE_URL, SSO_ONLY: 'true' })).toMatch(
      /^ConfigError: SSO_ONLY: needs an identity provider: set OIDC_PROVIDERS, or/,
    );
    const { ssoOnly } = parseDashboardConfig({
      DATABASE_URL,
      SSO_ONLY: 'true',
      OIDC_PROVIDERS: 'entra',
      ...ENTRA,
    });
    expect(ssoOnly).toBe(true);
  });

  it('list the allowed e-mail domains, without their subdomains', () => {
    const { allowedEmailDomains } = parseDashboardConfig({
      DATABASE_URL,
      ALLOWED_EMAIL_DOMAINS: 'example.com,Example.ORG',
    });
    expect(allowedEmailDomains).toEqual(['example.com', 'example.org']);
    for (const ALLOWED_EMAIL_DOMAINS of ['*.example.com', '@example.com', 'example.com,', 'localhost']) {
      expect(problems({ DATABASE_URL, ALLOWED_EMAIL_DOMAINS })).toMatch(
        /ALLOWED_EMAIL_DOMAINS\[\d\]: expected/,
      );
    }
  });

  it('accept links of the seller over https or to this machine only', () => {
    for (const name of ['CREDIT_URL', 'TERMS_URL', 'PRODUCT_LOGO_URL']) {
      for (const url of [
        'http://shop.example.com',
        'javascript:alert(1)',
        'shop.example.com',
        'https://a:b@c.d',
      ])
        expect(problems({ DATABASE_URL, [name]: url })).toMatch(`${name}: expected a URL`);
      for (const url of ['https://shop.example.com/x?y=1', 'http://127.0.0.1:4000/x'])
        expect(problems({ DATABASE_URL, [name]: url })).toBe('');
    }
    expect(problems({ DATABASE_URL, CREDIT_URL: 'https://shop.example.com/{account_id}' })).toBe('');
    expect(problems({ DATABASE_URL, CREDIT_URL: 'https://shop.example.com/{email}' })).toMatch(
      /CREDIT_URL: expected no placeholder but \{account_id\}/,
    );
  });
});
