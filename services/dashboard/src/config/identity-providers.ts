import { ConfigError, type Environment, httpUrlSetting, parseConfig } from '@model-gateway/service-kit';
import { z } from 'zod';
import { emailDomainsSetting } from './email-domains.ts';
import { Problems } from './problems.ts';

export interface IdentityProvider {
  /** Part of its redirect URI and of the stored sign-ins. */
  id: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Shown on its button. */
  name: string;
  /** Domains whose addresses are this provider's alone; it then need not say that it verified them. */
  emailDomains: readonly string[];
  /** Name of the claim with a person's groups. */
  groupsClaim: string;
  /** Scopes beside openid, email and profile. */
  scopes: readonly string[];
}

/** The provider of OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET. */
const SINGLE_ID = 'oidc';
/** The sign-in library's provider of passwords, and names that would make a setting ambiguous. */
const RESERVED_IDS = new Set(['credential', 'client', SINGLE_ID]);

/** Microsoft's issuers for users of any organization, each of which chooses its users' addresses. */
const ANY_ORGANIZATION =
  /^https:\/\/login\.microsoftonline\.(com|us)\/(common|organizations|consumers)(\/|$)/;

const issuerSetting = httpUrlSetting.refine(
  (issuer) => !ANY_ORGANIZATION.test(issuer),
  'expected the issuer of one tenant, such as https://login.microsoftonline.com/TENANT_ID/v2.0',
);
const nameSetting = z.string().max(50, 'must have at most 50 characters');

const groupsClaimSetting = z.string().max(200).default('groups');
const scopesSetting = z
  .string()
  .regex(
    /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/,
    'expected scopes with a space between them',
  )
  .transform((text) => text.split(' '))
  .default([]);

/** The settings of a single provider; those of several have the provider's name after OIDC_. */
export const singleProviderSettings = {
  OIDC_ISSUER: issuerSetting.optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_NAME: nameSetting.default('single sign-on'),
  OIDC_EMAIL_DOMAINS: emailDomainsSetting.default([]),
  OIDC_GROUPS_CLAIM: groupsClaimSetting,
  OIDC_SCOPES: scopesSetting,
};

export const providerNamesSetting = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim()))
  .pipe(
    z.array(
      z
        .string()
        .regex(/^[a-z][a-z0-9]{0,30}$/, 'expected names such as entra,google: lower-case letters and digits')
        .refine((name) => !RESERVED_IDS.has(name), 'is reserved: choose another name'),
    ),
  )
  .refine((names) => new Set(names).size === names.length, 'names a provider twice');

const namedProvider = z.object({
  ISSUER: issuerSetting,
  CLIENT_ID: z.string('is required'),
  CLIENT_SECRET: z.string('is required'),
  NAME: nameSetting.optional(),
  EMAIL_DOMAINS: emailDomainsSetting.default([]),
  GROUPS_CLAIM: groupsClaimSetting,
  SCOPES: scopesSetting,
});

/** Returns the name of a provider's setting: `OIDC_ENTRA_ISSUER`. */
export function settingOf(id: string, name: string): string {
  return id === SINGLE_ID ? `OIDC_${name}` : `OIDC_${id.toUpperCase()}_${name}`;
}

/** @throws ConfigError with every problem of every named provider */
export function parseNamedProviders(names: readonly string[], environment: Environment): IdentityProvider[] {
  const problems = new Problems();
  problems.collect(() => checkNamed(names, environment));
  const providers = names.map((id) => {
    const prefix = settingOf(id, '');
    const own = Object.fromEntries(
      Object.entries(environment)
        .filter(([name]) => name.startsWith(prefix))
        .map(([name, value]) => [name.slice(prefix.length), value]),
    );
    const settings = problems.collect(() => parseConfig(namedProvider, own), prefix);
    return settings && toProvider(id, settings);
  });
  problems.throwIfAny();
  return providers.filter((provider) => provider !== undefined);
}

/** @throws ConfigError for settings of a provider that OIDC_PROVIDERS does not name */
function checkNamed(names: readonly string[], environment: Environment): void {
  const lacking = Object.entries(environment).flatMap(([setting, value]) => {
    const [, prefix] = /^OIDC_([A-Z][A-Z0-9]*)_(?:ISSUER|CLIENT_ID|CLIENT_SECRET)$/.exec(setting) ?? [];
    const id = prefix?.toLowerCase();
    return !value || id === undefined || names.includes(id) ? [] : [id];
  });
  if (lacking.length === 0) return;
  throw new ConfigError(
    [...new Set(lacking)].map(
      (id) =>
        `OIDC_PROVIDERS: does not name ${id}, whose settings OIDC_${id.toUpperCase()}_… are set: add ${id}`,
    ),
  );
}

type SingleProviderSettings = z.output<z.ZodObject<typeof singleProviderSettings>>;

/** @returns undefined when there is no single provider */
export function singleProvider(settings: SingleProviderSettings): IdentityProvider | undefined {
  const { OIDC_ISSUER: ISSUER, OIDC_CLIENT_ID: CLIENT_ID, OIDC_CLIENT_SECRET: CLIENT_SECRET } = settings;
  if (ISSUER === undefined || CLIENT_ID === undefined || CLIENT_SECRET === undefined) return undefined;
  const { OIDC_NAME: NAME, OIDC_EMAIL_DOMAINS: EMAIL_DOMAINS } = settings;
  const { OIDC_GROUPS_CLAIM: GROUPS_CLAIM, OIDC_SCOPES: SCOPES } = settings;
  return toProvider(SINGLE_ID, {
    ISSUER,
    CLIENT_ID,
    CLIENT_SECRET,
    NAME,
    EMAIL_DOMAINS,
    GROUPS_CLAIM,
    SCOPES,
  });
}

function toProvider(id: string, settings: z.output<typeof namedProvider>): IdentityProvider {
  return {
    id,
    issuer: settings.ISSUER,
    clientId: settings.CLIENT_ID,
    clientSecret: settings.CLIENT_SECRET,
    name: settings.NAME ?? id,
    emailDomains: settings.EMAIL_DOMAINS,
    groupsClaim: settings.GROUPS_CLAIM,
    scopes: settings.SCOPES,
  };
}
