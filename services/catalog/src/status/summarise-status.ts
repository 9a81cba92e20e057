import {
  type ComponentStatus,
  overallSentence,
  type StatusSummary,
  type Trouble,
  utcMinute,
} from '@model-gateway/shared';
import type { Configurations } from './configurations.ts';
import type { CorePart } from './core-parts.ts';
import { knownFigures } from './known-figures.ts';
import type { ModelHealth } from './model-health.ts';
import { withConfiguration } from './with-configuration.ts';

/** The facts of which the status is made. */
export interface StatusFacts {
  /** The gateway's own parts, and since when they are in trouble: Unix seconds; null: they are well. */
  parts: readonly (CorePart & { since: number | null })[];
  providers: readonly { id: string; name: string }[];
  models: readonly { id: string; providerIds: readonly string[] }[];
  /** The health of providers and models; undefined when the control plane has sent none yet. */
  modelHealth: ModelHealth | undefined;
  /** Which providers lack their credential; undefined when there is no catalog yet. */
  configurations?: Pick<Configurations, 'ofProvider'> | undefined;
}

type Component = StatusSummary['components'][number];
type ComponentInTrouble = Trouble & Pick<Component, 'status' | 'state' | 'since'>;

const SEVERITY: readonly ComponentStatus[] = ['major_outage', 'partial_outage', 'degraded_performance'];

/**
 * Returns the status page's first table, and one sentence that names what is wrong and since when.
 * @param now Unix seconds
 */
export function summariseStatus(facts: StatusFacts, now: number): StatusSummary {
  const components = [
    ...facts.parts.map((part) => partComponent(part, now)),
    ...facts.providers.map((provider) => providerComponent(provider, facts, now)),
  ];
  return { object: 'status', status: overall(components, facts, now), components, updated_at: now };
}

function partComponent(
  { id, name, status, problem, since }: StatusFacts['parts'][number],
  now: number,
): Component {
  const when = since === null ? '' : `, since ${utcMinute(since * 1_000, now * 1_000)}`;
  const sentence = problem === null ? null : `${problem}${when}.`;
  return { id, name, status, state: status, sentence, since, updated_at: now };
}

function providerComponent(
  { id, name }: StatusFacts['providers'][number],
  { configurations, modelHealth: health }: StatusFacts,
  now: number,
): Component {
  const figures = knownFigures(health, health?.providers.get(id), now);
  const configured = configurations?.ofProvider(id, figures.status) ?? { status: figures.status };
  const { status, state, sentence, since, configuration } = withConfiguration(figures, configured);
  return {
    id: `provider:${id}`,
    name,
    status,
    state,
    sentence,
    since,
    ...(configuration === undefined ? {} : { configuration }),
    updated_at: health?.updatedAt ?? now,
  };
}

function overall(components: readonly Component[], facts: StatusFacts, now: number): StatusSummary['status'] {
  const troubled = components.filter(({ status }) => status !== 'operational');
  const all = bySeverity([...troubled, ...troubledModels(facts, troubled, now)]);
  if (all.length === 0) {
    return {
      indicator: 'none',
      description: 'All systems operational',
      sentence: isIdle(components)
        ? 'Nothing is known to be wrong; no provider has traffic.'
        : overallSentence([]),
      since: null,
    };
  }
  const times = all.flatMap(({ since }) => (since === null ? [] : [since]));
  const down = troubled.filter(({ status }) => status === 'major_outage');
  const isCritical = down.some(({ id }) => id === 'data_plane');
  return {
    indicator: isCritical ? 'critical' : down.length > 0 ? 'major' : 'minor',
    description: describe(all),
    sentence: overallSentence(all),
    since: times.length === 0 ? null : Math.min(...times),
  };
}

/** Names what is in trouble, and separately what lacks a credential. */
function describe(troubles: readonly ComponentInTrouble[]): string {
  const isUnconfigured = ({ state }: ComponentInTrouble) => state === 'not_configured';
  const namesOf = (some: readonly ComponentInTrouble[]) => some.map(({ name }) => name).join(', ');
  const unconfigured = troubles.filter(isUnconfigured);
  const others = troubles.filter((trouble) => !isUnconfigured(trouble));
  return [
    ...(others.length === 0 ? [] : [`Not operational: ${namesOf(others)}`]),
    ...(unconfigured.length === 0 ? [] : [`Not configured: ${namesOf(unconfigured)}`]),
  ].join('. ');
}

/** Returns the failing models whose providers are all well: a provider's trouble explains its models. */
function troubledModels(
  { models, modelHealth }: StatusFacts,
  troubled: readonly Component[],
  now: number,
): ComponentInTrouble[] {
  const ids = new Set(troubled.map(({ id }) => id));
  return models.flatMap(({ id, providerIds }) => {
    if (providerIds.some((providerId) => ids.has(`provider:${providerId}`))) return [];
    const { status, state, sentence, since } = knownFigures(modelHealth, modelHealth?.models.get(id), now);
    return status === 'operational' ? [] : [{ name: id, status, state, sentence, since }];
  });
}

function bySeverity(troubles: readonly ComponentInTrouble[]): ComponentInTrouble[] {
  return troubles.toSorted((a, b) => SEVERITY.indexOf(a.status) - SEVERITY.indexOf(b.status));
}

/** Returns true if no provider has had traffic, so that nothing shows whether all is well. */
function isIdle(components: readonly Component[]): boolean {
  const providers = components.filter(({ id }) => id.startsWith('provider:'));
  return providers.length > 0 && providers.every(({ state }) => state === 'no_traffic');
}
