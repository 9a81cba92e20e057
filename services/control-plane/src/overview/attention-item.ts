export const ATTENTION_KINDS = [
  'ledger_mismatch',
  'credential_refused',
  'credential_missing',
  'provider_failing',
  'data_plane_behind',
  'data_plane_lost',
  'sums_behind',
  'unpriced_unit',
  'webhook_failing',
  'pool_nearly_used',
  'budget_nearly_used',
] as const;
export type AttentionKind = (typeof ATTENTION_KINDS)[number];

/** Worst first. */
export const SEVERITIES = ['critical', 'warning', 'notice'] as const;

export interface AttentionItem {
  kind: AttentionKind;
  severity: (typeof SEVERITIES)[number];
  object: { type: string; id: string; name: string };
  /** Null: unknown. */
  since: Date | null;
  /** Says what is wrong. */
  sentence: string;
  next: {
    /** Says what to do. */
    text: string;
    /** Path of a page of the console. */
    page: string | null;
    /** Command of gatewayctl. */
    command: string | null;
  };
}

/** Paths of the console's pages. */
export const consolePages = {
  provider: (id: string) => `/operate/providers/${encodeURIComponent(id)}`,
  model: (id: string) => `/operate/models/${id}`,
  account: (id: string) => `/operate/accounts/${encodeURIComponent(id)}`,
  webhook: (id: string) => `/operate/webhooks/${encodeURIComponent(id)}`,
  fleet: '/operate/fleet',
  ledger: '/operate/ledger',
};

/** Sorts the worst and newest first. */
export function sortAttention(items: readonly AttentionItem[]): AttentionItem[] {
  const rank = ({ severity, kind }: AttentionItem) =>
    SEVERITIES.indexOf(severity) * ATTENTION_KINDS.length + ATTENTION_KINDS.indexOf(kind);
  return items.toSorted((a, b) => rank(a) - rank(b) || (b.since?.getTime() ?? 0) - (a.since?.getTime() ?? 0));
}
