import type {
  INetworkPolicy,
  INetworkPolicyPeer,
  INetworkPolicyPort,
} from 'kubernetes-models/networking.k8s.io/v1';

type Labels = Readonly<Record<string, string>>;

interface Rule {
  peers?: readonly INetworkPolicyPeer[] | undefined;
  ports?: readonly INetworkPolicyPort[] | undefined;
}

/** Returns whether network policies let a pod connect to another one of the same namespace. */
export function mayConnect(
  policies: readonly INetworkPolicy[],
  from: Labels,
  to: Labels,
  port: number,
): boolean {
  const leaves = policiesOf(policies, from).flatMap(({ spec }) =>
    (spec?.egress ?? []).map((rule) => ({ peers: rule.to, ports: rule.ports })),
  );
  const enters = policiesOf(policies, to).flatMap(({ spec }) =>
    (spec?.ingress ?? []).map((rule) => ({ peers: rule.from, ports: rule.ports })),
  );
  return leaves.some((rule) => allows(rule, to, port)) && enters.some((rule) => allows(rule, from, port));
}

function policiesOf(policies: readonly INetworkPolicy[], pod: Labels): INetworkPolicy[] {
  return policies.filter(({ spec }) => selects(spec?.podSelector ?? {}, pod));
}

function allows({ peers, ports }: Rule, pod: Labels, port: number): boolean {
  const peerFits = peers?.some(
    ({ podSelector, namespaceSelector }) =>
      podSelector !== undefined && namespaceSelector === undefined && selects(podSelector, pod),
  );
  return (peerFits ?? true) && (ports?.some((each) => each.port === port) ?? true);
}

type Selector = NonNullable<INetworkPolicyPeer['podSelector']>;

function selects({ matchLabels = {}, matchExpressions = [] }: Selector, pod: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => pod[key] === value) &&
    matchExpressions.every(
      ({ key, operator, values }) => operator === 'In' && values?.includes(pod[key] ?? ''),
    )
  );
}
