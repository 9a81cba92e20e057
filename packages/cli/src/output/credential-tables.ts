import type { ProviderCredentialMessage } from '@model-gateway/contracts';
import { providerConfiguration } from '@model-gateway/shared';
import { formatTable } from './format-table.ts';
import { words } from './printable.ts';

/** The state of a credential variable on the running data planes. */
export interface CredentialJson {
  provider: string;
  variable: string;
  /** The provider's configuration. A provider with several variables needs only one of them. */
  configuration: string;
  /** How many data planes have it, lack it, and do not report it. */
  data_planes: { set: number; missing: number; unknown: number };
  /** The models with an upstream at this provider. */
  models: { id: string; configuration: string }[];
  /** True if the provider has further credentials, so that this one may be missing. */
  is_one_of_several: boolean;
}

/** How many models a warning and a table list; `--json` lists all. */
const NAMED_MODELS = 5;
const LISTED_MODELS = 20;

export function credentialJson(message: ProviderCredentialMessage): CredentialJson {
  const {
    providerId,
    variable,
    setIn,
    missingIn,
    unknownIn,
    models,
    providerConfiguration: reported,
  } = message;
  return {
    provider: providerId,
    variable,
    configuration: reported ?? providerConfiguration(message),
    data_planes: { set: setIn, missing: missingIn, unknown: unknownIn },
    models: models.map(({ modelId, configuration }) => ({ id: modelId, configuration })),
    is_one_of_several: reported !== undefined,
  };
}

/** Describes a credential that some data planes may lack, and what to do about it. */
export function credentialWarning({
  configuration,
  data_planes: planes,
  is_one_of_several: isOneOfSeveral,
  models,
  provider,
  variable,
}: CredentialJson): string {
  const { set, missing, unknown } = planes;
  const use = isOneOfSeveral
    ? `which is one of the credentials of provider ${provider}`
    : `which provider ${provider} needs`;
  if (set + missing + unknown === 0) {
    return (
      `no data plane is running, so it is not known whether ${variable} is set, ` +
      `${use}: start one, then run gatewayctl status`
    );
  }
  if (missing === 0) {
    return (
      `it is not known whether the data planes have ${variable}, ${use}: ` +
      'data planes of an earlier release do not report it'
    );
  }
  const remedy = `set it with gatewayctl credentials set ${variable}`;
  const silent = unknown === 0 ? '' : ` (${unknown} of an earlier release ${doNotReport(unknown)})`;
  if (configuration === 'not_configured') {
    const lost = models.flatMap(({ id, configuration }) => (configuration === 'not_configured' ? [id] : []));
    const consequence = lost.length === 0 ? '' : `, and nobody can call ${named(lost)}`;
    return `no data plane has ${variable}, so provider ${provider} cannot be used${consequence}: ${remedy}`;
  }
  const total = set + missing + unknown;
  const some = `${set} of ${total} data planes ${set === 1 ? 'has' : 'have'}`;
  return `${set + unknown === 0 ? 'no data plane has' : some} ${variable}, ${use}${silent}: ${remedy}`;
}

/** Lists the credentials that some data planes lack, and the models that need them. */
export function credentialTables(credentials: readonly CredentialJson[]): string[] {
  const open = credentials.filter(({ data_planes: { missing, set } }) => missing > 0 || set === 0);
  if (open.length === 0) return [];
  const providers = formatTable(
    ['PROVIDER', 'CREDENTIAL', 'DATA PLANES', 'CONFIGURATION'],
    open.map(({ provider, variable, configuration, data_planes: planes }) => [
      provider,
      variable,
      planesText(planes),
      configurationText(configuration),
    ]),
  );
  const models = new Map(
    open.flatMap((credential) => credential.models.map(({ id, configuration }) => [id, configuration])),
  );
  const concerned = [...models].filter(
    ([, configuration]) => configuration !== 'unknown' && configuration !== 'configured',
  );
  if (concerned.length === 0) return [providers];
  const hidden = concerned.length - LISTED_MODELS;
  const table = formatTable(
    ['MODEL', 'CONFIGURATION'],
    concerned.slice(0, LISTED_MODELS).map(([id, configuration]) => [id, configurationText(configuration)]),
  );
  return [providers, hidden > 0 ? `${table}… and ${hidden} more models: --json lists all.\n` : table];
}

function planesText({ set, missing, unknown }: CredentialJson['data_planes']): string {
  const total = set + missing + unknown;
  if (total === 0) return 'none is running';
  return (
    `${set} of ${total} ${set === 1 ? 'has' : 'have'} ` +
    `it${unknown === 0 ? '' : `, ${unknown} ${doNotReport(unknown)}`}`
  );
}

function doNotReport(count: number): string {
  return count === 1 ? 'does not report it' : 'do not report it';
}

function named(ids: readonly string[]): string {
  const hidden = ids.length - NAMED_MODELS;
  return `${ids.slice(0, NAMED_MODELS).join(', ')}${hidden > 0 ? ` and ${hidden} more models` : ''}`;
}

function configurationText(configuration: string): string {
  return configuration === 'unknown' ? 'not known' : words(configuration);
}
