import type { HealthFiguresMessage, ModelHealthMessage } from '@model-gateway/contracts';
import { overallSentence } from '@model-gateway/shared';
import type { CredentialJson } from './credential-tables.ts';
import { formatTable } from './format-table.ts';
import { words } from './printable.ts';

type HealthRowJson = ReturnType<typeof rowJson>;
type HealthJson = NonNullable<ReturnType<typeof healthJson>>;

const NOT_CONFIGURED = 'not_configured';

/**
 * Returns the health of all providers and models. A missing credential takes precedence over figures from
 * traffic, because without it there is no traffic.
 * @returns null when the control plane runs the previous release
 */
export function healthJson(health: ModelHealthMessage | null, credentials: readonly CredentialJson[]) {
  if (health === null) return null;
  const lacking = lackedVariables(credentials);
  const row = (figures: HealthFiguresMessage) => rowJson(figures, lacking.get(figures.id));
  const providers = health.providers.map(row);
  const models = health.models.map(row);
  const troubled = withoutExplained(
    [...providers, ...models].filter(({ status }) => status !== 'operational'),
  );
  return {
    sentence: overallSentence(troubled.map(({ id, sentence }) => ({ name: id, sentence }))),
    providers,
    models,
  };
}

/** Returns, per model or provider that cannot be called, the variables that no data plane has. */
function lackedVariables(credentials: readonly CredentialJson[]): Map<string, string[]> {
  const lacking = new Map<string, string[]>();
  for (const { provider, variable, configuration, models } of credentials) {
    for (const each of [{ id: provider, configuration }, ...models]) {
      if (each.configuration !== 'not_configured') continue;
      lacking.set(each.id, [...(lacking.get(each.id) ?? []), variable]);
    }
  }
  return lacking;
}

/**
 * Drops models of a provider in trouble (`acme/small` of `acme`), which explains theirs. Tables keep them.
 */
function withoutExplained(troubled: readonly HealthRowJson[]): HealthRowJson[] {
  const ids = new Set(troubled.map(({ id }) => id));
  return troubled.filter(({ id }) => !id.includes('/') || !ids.has(id.slice(0, id.indexOf('/'))));
}

/**
 * Shares are shares of responses, from 0 to 1; times are Unix seconds.
 * @param lacks the variables that no data plane has, so that nobody can call the model or provider
 */
function rowJson(figures: HealthFiguresMessage, lacks: readonly string[] | undefined) {
  const reported = {
    status: figures.status,
    state: figures.state,
    sentence: figures.sentence ?? null,
    since: figures.since === undefined ? null : Number(figures.since),
  };
  const unconfigured = {
    status: 'major_outage',
    state: NOT_CONFIGURED,
    sentence: `Not configured, because no data plane has ${lacks?.join(' or ')}.`,
    since: null,
  };
  return {
    id: figures.id,
    ...(lacks === undefined ? reported : unconfigured),
    success_5m: figures.uptime5m ?? null,
    requests_5m: figures.requests5m,
    gave_up_5m: figures.gaveUp5m,
    last_request_at: figures.lastTrafficAt === undefined ? null : Number(figures.lastTrafficAt),
  };
}

/** Counts the rows per state, for the summary: "3 operational, 9 no traffic". */
export function statesText(rows: readonly HealthRowJson[]): string {
  const counts = new Map<string, number>();
  for (const { state } of rows) counts.set(state, (counts.get(state) ?? 0) + 1);
  const parts = [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([state, count]) => `${count} ${words(state)}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

/** Lists the models and providers in trouble. Those without a credential have a table of their own. */
export function troubleTables({ providers, models }: HealthJson): string[] {
  return [['PROVIDER', providers] as const, ['MODEL', models] as const].flatMap(([header, rows]) => {
    const troubled = rows.filter(({ status, state }) => status !== 'operational' && state !== NOT_CONFIGURED);
    if (troubled.length === 0) return [];
    return formatTable(
      [header, 'STATE', 'WHAT IS WRONG'],
      troubled.map(({ id, state, sentence }) => [id, words(state), sentence ?? '']),
    );
  });
}
