// Types of the management API for the pages of the console, from its OpenAPI document. They are written by
// npm test -- services/control-plane/tests/management/operation-types -u

export type Account = {
  object: 'account';
  id: string;
  email: string;
  name: string;
  external_id: string | null;
  email_verified: boolean;
  timezone: string;
  week_starts: string;
  threshold_mails: boolean;
  limits: {
    free_per_minute: number | null;
    paid_per_minute: number | null;
    reads_per_minute: number | null;
    concurrent_streams: number | null;
  };
  created_at: string;
  suspended_at: string | null;
  stopped_by: string | null;
  deleted_at: string | null;
  price_list_id?: string | null;
};

export type AccountList = { object: 'list'; data: Account[]; has_more: boolean; next_cursor: string | null };

export type AccountSpend = {
  account: { id: string; name: string; email: string };
  requests: number;
  cost_usd: string;
  charged_usd: string;
  margin_usd: string;
};

export type AccountSpendList = { object: 'list'; data: AccountSpend[] };

export type AdminKey = {
  object: 'admin_key';
  id: string;
  name: string;
  prefix: string;
  scopes: Scope[];
  account_id: string | null;
  networks: string[] | null;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
};

export type AdminKeyList = {
  object: 'list';
  data: AdminKey[];
  has_more: boolean;
  next_cursor: string | null;
};

export type AppliedCatalog = {
  object: 'catalog.plan' | 'catalog';
  revision: number;
  providers: { added: string[]; changed: string[]; retired: string[] };
  models: { added: string[]; changed: string[]; retired: string[] };
  missing_credentials: { provider: string; variable: string }[];
};

export type Attention = {
  object: 'attention';
  data: {
    kind:
      | 'ledger_mismatch'
      | 'credential_refused'
      | 'credential_missing'
      | 'provider_failing'
      | 'data_plane_behind'
      | 'data_plane_lost'
      | 'sums_behind'
      | 'unpriced_unit'
      | 'webhook_failing'
      | 'pool_nearly_used'
      | 'budget_nearly_used';
    severity: 'critical' | 'warning' | 'notice';
    object: { type: string; id: string; name: string };
    since: string | null;
    sentence: string;
    next: { text: string; page: string | null; command: string | null };
  }[];
  totals: {
    kind:
      | 'ledger_mismatch'
      | 'credential_refused'
      | 'credential_missing'
      | 'provider_failing'
      | 'data_plane_behind'
      | 'data_plane_lost'
      | 'sums_behind'
      | 'unpriced_unit'
      | 'webhook_failing'
      | 'pool_nearly_used'
      | 'budget_nearly_used';
    total: number;
  }[];
};

export type AuditEvent = {
  id: string;
  at: string;
  actor: { type: string; id: string | null; email: string | null; ip: string | null };
  way: string;
  action: string;
  object: { type: string; id: string; name: string };
  account_id: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  request_id: string | null;
  outcome: string;
  chain: number;
  position: number;
  hash: string;
};

export type AuditEventList = {
  object: 'list';
  data: AuditEvent[];
  has_more: boolean;
  next_cursor: string | null;
};

export type Catalog = { object: 'catalog'; revision: number; document: Record<string, unknown> };

export type CatalogPlan = {
  object: 'catalog.plan' | 'catalog';
  revision: number;
  providers: { added: string[]; changed: string[]; retired: string[] };
  models: { added: string[]; changed: string[]; retired: string[] };
  missing_credentials: { provider: string; variable: string }[];
  differences: {
    object: 'provider' | 'model';
    id: string;
    change: 'added' | 'changed' | 'retired';
    fields: { path: string; before: string | null; after: string | null }[];
  }[];
  affected: {
    accounts: number;
    keys: number;
    models: { id: string; accounts: number; keys: number }[];
    rules: { count: number; owners: string[] };
  };
};

export type CatalogVersion = {
  object: 'catalog.version';
  revision: number;
  applied_at: string | null;
  applied_by: { type: string; id: string | null; email: string | null } | null;
  action: string | null;
  changes: {
    providers: {
      added: { count: number; ids: string[] };
      changed: { count: number; ids: string[] };
      retired: { count: number; ids: string[] };
    };
    models: {
      added: { count: number; ids: string[] };
      changed: { count: number; ids: string[] };
      retired: { count: number; ids: string[] };
    };
  } | null;
};

export type CatalogVersionDetails = {
  object: 'catalog.version';
  revision: number;
  applied_at: string | null;
  applied_by: { type: string; id: string | null; email: string | null } | null;
  action: string | null;
  changes: {
    providers: {
      added: { count: number; ids: string[] };
      changed: { count: number; ids: string[] };
      retired: { count: number; ids: string[] };
    };
    models: {
      added: { count: number; ids: string[] };
      changed: { count: number; ids: string[] };
      retired: { count: number; ids: string[] };
    };
  } | null;
  document: Record<string, unknown>;
  differences: {
    object: 'provider' | 'model';
    id: string;
    change: 'added' | 'changed' | 'retired';
    fields: { path: string; before: string | null; after: string | null }[];
  }[];
};

export type CatalogVersionList = {
  object: 'list';
  data: CatalogVersion[];
  has_more: boolean;
  next_cursor: string | null;
};

export type Credential = {
  object: 'credential';
  name: string;
  state: 'set' | 'missing' | 'refused' | 'unreadable' | 'unknown';
  stored: boolean;
  set_at: string | null;
  last_four: string | null;
  data_planes: { id: string; set: boolean | null }[];
  providers: string[];
  refusals: {
    http_status: number | null;
    refusals: number;
    since: string;
    last_refused_at: string;
    models: string[];
    data_planes: string[];
    provider: string;
  }[];
};

export type CredentialList = {
  object: 'list';
  data: Credential[];
  has_more: boolean;
  next_cursor: string | null;
};

export type DrainedDataPlane = {
  object: 'data_plane';
  id: string;
  host: string;
  drained: boolean;
  open_requests: number;
};

export type EndUser = {
  object: 'end_user';
  id: string;
  account_id: string;
  external_id: string | null;
  has_rules: boolean;
  created_at: string | null;
};

export type EndUserList = {
  object: 'list';
  data: {
    object: 'end_user';
    id: string;
    account_id: string;
    external_id: string | null;
    has_rules: boolean;
    created_at: string | null;
    requests_this_month: number;
    spent_this_month_usd: string;
  }[];
  has_more: boolean;
  next_cursor: string | null;
};

export type Event = {
  object: 'event';
  id: string;
  type: string;
  account_id: string | null;
  timestamp: string;
  data: Record<string, unknown>;
};

export type EventList = { object: 'list'; data: Event[]; has_more: boolean };

export type Fleet = {
  object: 'fleet';
  version: string;
  uptime_seconds: number;
  key_revision: number;
  catalog_revision: number;
  accounts: number;
  active_keys: number;
  data_planes: {
    instance_id: string;
    control_plane_id: string;
    acked_revision: number;
    live: boolean;
    ended_at: string | null;
    missing_credentials: string[];
    drain_ordered_at: string | null;
    state: {
      version: string;
      host: string;
      started_at: string;
      reported_at: string;
      drained: boolean;
      open_requests: number;
      open_streams: number;
      requests_per_second: number;
      watch_lag_ms: number;
      settlement_queue: number;
      reserved_usd: string;
      spare_usd: string;
      event_loop_delay_ms: number;
      redis: 'reachable' | 'unreachable' | 'none';
    } | null;
  }[];
  control_planes: {
    id: string;
    live: boolean;
    version: string;
    host: string;
    started_at: string;
    reported_at: string;
    database_latency_ms: number;
    housekeeping_at: string | null;
    problems: string[];
  }[];
  credentials: {
    provider: string;
    variable: string;
    data_planes: { set: number; missing: number; unknown: number };
    models: { id: string; configuration: string }[];
  }[];
  waiting: { model: string; provider: string; calls: number; longest_ms: number }[];
  providers: {
    id: string;
    status: string;
    state: string;
    sentence: string | null;
    since: string | null;
    requests_5m: number;
    gave_up_5m: number;
    success_5m: number | null;
  }[];
  models: {
    id: string;
    status: string;
    state: string;
    sentence: string | null;
    since: string | null;
    requests_5m: number;
    gave_up_5m: number;
    success_5m: number | null;
  }[];
};

export type FullPriceList = {
  object: 'price_list';
  id: string;
  name: string;
  is_default: boolean;
  version: PriceListVersion;
  created_at: string;
  accounts: number;
  version_in_force: number | null;
  versions: PriceListVersion[];
};

export type Key = {
  object: 'key';
  id: string;
  account_id: string;
  seat_id: string | null;
  member_id: string | null;
  external_id: string | null;
  name: string;
  prefix: string;
  status: 'active' | 'expired' | 'revoked' | 'suspended';
  tags: Record<string, string>;
  cache: string | null;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  stopped_by: string | null;
  replaced_by: string | null;
  rules: {
    models: string[] | null;
    providers: string[] | null;
    endpoints:
      | (
          | 'chat'
          | 'completions'
          | 'embeddings'
          | 'rerank'
          | 'images'
          | 'speech'
          | 'transcription'
          | 'moderation'
        )[]
      | null;
    networks: string[] | null;
    budgets: {
      id?: string;
      usd: string;
      window: 'day' | 'week' | 'month' | 'total';
      on_exceed: 'block' | 'warn';
      temporary_usd?: string | null;
      temporary_until?: string | number | null;
    }[];
    requests_per_minute: number | null;
    tokens_per_minute: number | null;
    streams: number | null;
    expires_at: string | number | null;
    require_tags: string[];
    require_end_user: boolean;
  };
};

export type KeyList = { object: 'list'; data: Key[]; has_more: boolean; next_cursor: string | null };

export type LedgerVerification = {
  object: 'ledger.verification';
  agrees: boolean;
  pools: number;
  usage_records: number;
  ledger_entries: number;
  disagreements: { kind: string; id: string; problem: string }[];
};

export type ListedPriceList = {
  object: 'price_list';
  id: string;
  name: string;
  is_default: boolean;
  version: PriceListVersion;
  created_at: string;
  accounts: number;
};

export type Member = {
  object: 'member';
  id: string;
  account_id: string;
  email: string;
  name: string;
  role: 'viewer' | 'developer' | 'admin' | 'owner';
  status: 'invited' | 'added' | 'active' | 'stopped';
  source: string;
  created_at: string;
  expires_at: string | null;
  stopped_at: string | null;
  stopped_by: string | null;
};

export type MemberList = { object: 'list'; data: Member[]; has_more: boolean; next_cursor: string | null };

export type Model = {
  object: 'model';
  id: string;
  name: string;
  kind: 'served' | 'virtual';
  capability: string | null;
  tier: string | null;
  providers: string[];
  pricing: Record<string, string>;
  price_version: number | null;
  deprecated_at: string | null;
  health: {
    status: string;
    state: string;
    sentence: string | null;
    since: string | null;
    last_traffic_at: string | null;
    requests_5m: number;
    requests_24h: number;
    success_5m: number | null;
    success_24h: number | null;
    latency_ms: { p50: number; p95: number } | null;
    time_to_first_token_ms: { p50: number; p95: number } | null;
  };
};

export type ModelDetails = {
  object: 'model';
  id: string;
  name: string;
  kind: 'served' | 'virtual';
  capability: string | null;
  tier: string | null;
  providers: string[];
  pricing: Record<string, string>;
  price_version: number | null;
  deprecated_at: string | null;
  health: {
    status: string;
    state: string;
    sentence: string | null;
    since: string | null;
    last_traffic_at: string | null;
    requests_5m: number;
    requests_24h: number;
    success_5m: number | null;
    success_24h: number | null;
    latency_ms: { p50: number; p95: number } | null;
    time_to_first_token_ms: { p50: number; p95: number } | null;
  };
  description: string;
  created_at: string;
  context_length: number | null;
  max_output_tokens: number | null;
  input_modalities: string[];
  output_modalities: string[];
  aliases: string[];
  fallbacks: string[];
  upstreams: {
    provider: string;
    model: string;
    priority: number;
    weight: number;
    apis: string[];
    attempts_24h: number;
    failed_24h: number;
  }[];
  models: { model: string; weight: number }[];
  price_versions: {
    version: number;
    pricing: Record<string, string>;
    applied_at: string;
    catalog_revision: number | null;
    applied_by: { type: string; id: string | null; email: string | null } | null;
  }[];
};

export type ModelList = { object: 'list'; data: Model[]; has_more: boolean; next_cursor: string | null };

export type NewAdminKey = {
  object: 'admin_key';
  id: string;
  name: string;
  prefix: string;
  scopes: Scope[];
  account_id: string | null;
  networks: string[] | null;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  key: string;
};

export type NewKey = {
  object: 'key';
  id: string;
  account_id: string;
  seat_id: string | null;
  member_id: string | null;
  external_id: string | null;
  name: string;
  prefix: string;
  status: 'active' | 'expired' | 'revoked' | 'suspended';
  tags: Record<string, string>;
  cache: string | null;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  stopped_by: string | null;
  replaced_by: string | null;
  rules: {
    models: string[] | null;
    providers: string[] | null;
    endpoints:
      | (
          | 'chat'
          | 'completions'
          | 'embeddings'
          | 'rerank'
          | 'images'
          | 'speech'
          | 'transcription'
          | 'moderation'
        )[]
      | null;
    networks: string[] | null;
    budgets: {
      id?: string;
      usd: string;
      window: 'day' | 'week' | 'month' | 'total';
      on_exceed: 'block' | 'warn';
      temporary_usd?: string | null;
      temporary_until?: string | number | null;
    }[];
    requests_per_minute: number | null;
    tokens_per_minute: number | null;
    streams: number | null;
    expires_at: string | number | null;
    require_tags: string[];
    require_end_user: boolean;
  };
  key: string;
};

export type NewMember = {
  object: 'member';
  id: string;
  account_id: string;
  email: string;
  name: string;
  role: 'viewer' | 'developer' | 'admin' | 'owner';
  status: 'invited' | 'added' | 'active' | 'stopped';
  source: string;
  created_at: string;
  expires_at: string | null;
  stopped_at: string | null;
  stopped_by: string | null;
  invitation_token?: string;
};

export type NewWebhook = {
  object: 'webhook';
  id: string;
  account_id: string | null;
  url: string;
  events: (
    | 'account.suspended'
    | 'budget.threshold_reached'
    | 'catalog.applied'
    | 'key.created'
    | 'key.expiring'
    | 'key.revoked'
    | 'ledger.mismatch'
    | 'model.unpriced_unit'
    | 'pool.threshold_reached'
    | 'provider.down'
    | 'provider.up'
    | 'reconciliation.failed'
    | 'request.settled'
  )[];
  format: 'standard' | 'slack';
  description: string;
  status: 'enabled' | 'failing' | 'disabled';
  disabled_because: 'gone' | null;
  failing_since: string | null;
  created_at: string;
  secret: string;
};

export type Overview = {
  object: 'overview';
  period: '1h' | '24h' | '7d' | '30d';
  start: string;
  end: string;
  previous_start: string;
  previous_end: string;
  totals: { now: OverviewFigures; previous: OverviewFigures | null };
  providers: { id: string; now: OverviewFigures; previous: OverviewFigures | null }[];
  models: { id: string; now: OverviewFigures; previous: OverviewFigures | null }[];
  bucket_seconds: number;
  series: {
    start: string;
    requests: number;
    errors: number;
    cost_usd: string;
    charged_usd: string;
    margin_usd: string;
  }[];
};

export type OverviewFigures = {
  requests: number;
  cost_usd: string;
  charged_usd: string;
  margin_usd: string;
  errors: number;
  error_rate: number | null;
  latency_ms: { p50: number; p95: number } | null;
  time_to_first_token_ms: { p50: number; p95: number } | null;
};

export type Pool = {
  object: 'pool';
  id: string;
  owner: { kind: 'seat' | 'team' | 'account'; id: string };
  name: string;
  unlimited: boolean;
  usd: string | null;
  created_at: string;
  resets_at: string | null;
  expires_at: string | null;
  removed_at: string | null;
  used_usd: string;
  held_usd: string;
  remaining_usd: string | null;
};

export type PoolList = { object: 'list'; data: Pool[]; has_more: boolean; next_cursor: string | null };

export type PriceList = {
  object: 'price_list';
  id: string;
  name: string;
  is_default: boolean;
  version: PriceListVersion;
  created_at: string;
};

export type PriceListList = {
  object: 'list';
  data: ListedPriceList[];
  has_more: boolean;
  next_cursor: string | null;
};

export type PriceListVersion = {
  number: number;
  valid_from: string;
  factor: string;
  models: {
    model: string;
    factor?: string;
    pricing?: {
      input_per_million_usd?: string;
      cached_input_per_million_usd?: string;
      cache_write_per_million_usd?: string;
      cache_write_1h_per_million_usd?: string;
      audio_input_per_million_usd?: string;
      image_input_per_million_usd?: string;
      output_per_million_usd?: string;
      reasoning_per_million_usd?: string;
      audio_output_per_million_usd?: string;
      image_output_per_million_usd?: string;
      image_usd?: string;
      characters_per_million_usd?: string;
      audio_second_usd?: string;
      search_unit_usd?: string;
      web_search_request_usd?: string;
      tool_call_usd?: string;
      tiers?: {
        above_input_tokens: number;
        input_per_million_usd?: string;
        cached_input_per_million_usd?: string;
        cache_write_per_million_usd?: string;
        cache_write_1h_per_million_usd?: string;
        audio_input_per_million_usd?: string;
        image_input_per_million_usd?: string;
        output_per_million_usd?: string;
        reasoning_per_million_usd?: string;
        audio_output_per_million_usd?: string;
        image_output_per_million_usd?: string;
        image_usd?: string;
        characters_per_million_usd?: string;
        audio_second_usd?: string;
        search_unit_usd?: string;
        web_search_request_usd?: string;
        tool_call_usd?: string;
      }[];
      service_tiers?: {
        flex?: {
          input_per_million_usd?: string;
          cached_input_per_million_usd?: string;
          cache_write_per_million_usd?: string;
          cache_write_1h_per_million_usd?: string;
          audio_input_per_million_usd?: string;
          image_input_per_million_usd?: string;
          output_per_million_usd?: string;
          reasoning_per_million_usd?: string;
          audio_output_per_million_usd?: string;
          image_output_per_million_usd?: string;
          image_usd?: string;
          characters_per_million_usd?: string;
          audio_second_usd?: string;
          search_unit_usd?: string;
          web_search_request_usd?: string;
          tool_call_usd?: string;
          tiers?: {
            above_input_tokens: number;
            input_per_million_usd?: string;
            cached_input_per_million_usd?: string;
            cache_write_per_million_usd?: string;
            cache_write_1h_per_million_usd?: string;
            audio_input_per_million_usd?: string;
            image_input_per_million_usd?: string;
            output_per_million_usd?: string;
            reasoning_per_million_usd?: string;
            audio_output_per_million_usd?: string;
            image_output_per_million_usd?: string;
            image_usd?: string;
            characters_per_million_usd?: string;
            audio_second_usd?: string;
            search_unit_usd?: string;
            web_search_request_usd?: string;
            tool_call_usd?: string;
          }[];
        };
        priority?: {
          input_per_million_usd?: string;
          cached_input_per_million_usd?: string;
          cache_write_per_million_usd?: string;
          cache_write_1h_per_million_usd?: string;
          audio_input_per_million_usd?: string;
          image_input_per_million_usd?: string;
          output_per_million_usd?: string;
          reasoning_per_million_usd?: string;
          audio_output_per_million_usd?: string;
          image_output_per_million_usd?: string;
          image_usd?: string;
          characters_per_million_usd?: string;
          audio_second_usd?: string;
          search_unit_usd?: string;
          web_search_request_usd?: string;
          tool_call_usd?: string;
          tiers?: {
            above_input_tokens: number;
            input_per_million_usd?: string;
            cached_input_per_million_usd?: string;
            cache_write_per_million_usd?: string;
            cache_write_1h_per_million_usd?: string;
            audio_input_per_million_usd?: string;
            image_input_per_million_usd?: string;
            output_per_million_usd?: string;
            reasoning_per_million_usd?: string;
            audio_output_per_million_usd?: string;
            image_output_per_million_usd?: string;
            image_usd?: string;
            characters_per_million_usd?: string;
            audio_second_usd?: string;
            search_unit_usd?: string;
            web_search_request_usd?: string;
            tool_call_usd?: string;
          }[];
        };
        batch?: {
          input_per_million_usd?: string;
          cached_input_per_million_usd?: string;
          cache_write_per_million_usd?: string;
          cache_write_1h_per_million_usd?: string;
          audio_input_per_million_usd?: string;
          image_input_per_million_usd?: string;
          output_per_million_usd?: string;
          reasoning_per_million_usd?: string;
          audio_output_per_million_usd?: string;
          image_output_per_million_usd?: string;
          image_usd?: string;
          characters_per_million_usd?: string;
          audio_second_usd?: string;
          search_unit_usd?: string;
          web_search_request_usd?: string;
          tool_call_usd?: string;
          tiers?: {
            above_input_tokens: number;
            input_per_million_usd?: string;
            cached_input_per_million_usd?: string;
            cache_write_per_million_usd?: string;
            cache_write_1h_per_million_usd?: string;
            audio_input_per_million_usd?: string;
            image_input_per_million_usd?: string;
            output_per_million_usd?: string;
            reasoning_per_million_usd?: string;
            audio_output_per_million_usd?: string;
            image_output_per_million_usd?: string;
            image_usd?: string;
            characters_per_million_usd?: string;
            audio_second_usd?: string;
            search_unit_usd?: string;
            web_search_request_usd?: string;
            tool_call_usd?: string;
          }[];
        };
      };
    };
  }[];
  created_at: string;
};

export type Provider = {
  object: 'provider';
  id: string;
  name: string;
  kind: string;
  base_url: string;
  region: string | null;
  models: number;
  health: {
    status: string;
    state: string;
    sentence: string | null;
    since: string | null;
    last_traffic_at: string | null;
    requests_5m: number;
    requests_24h: number;
    success_5m: number | null;
    success_24h: number | null;
    latency_ms: { p50: number; p95: number } | null;
    time_to_first_token_ms: { p50: number; p95: number } | null;
  };
  breakers: {
    data_plane: string;
    model: string | null;
    shuts_out: 'everyone' | 'failing_payers';
    since: string;
  }[];
  credentials: {
    object: 'credential';
    name: string;
    state: 'set' | 'missing' | 'refused' | 'unreadable' | 'unknown';
    stored: boolean;
    set_at: string | null;
    last_four: string | null;
    data_planes: { id: string; set: boolean | null }[];
    providers: string[];
    refusals: {
      http_status: number | null;
      refusals: number;
      since: string;
      last_refused_at: string;
      models: string[];
      data_planes: string[];
      provider: string;
    }[];
  }[];
  identity_refusal: {
    http_status: number | null;
    refusals: number;
    since: string;
    last_refused_at: string;
    models: string[];
    data_planes: string[];
  } | null;
};

export type ProviderDetails = {
  object: 'provider';
  id: string;
  name: string;
  kind: string;
  base_url: string;
  region: string | null;
  models: {
    provider: string;
    model: string;
    priority: number;
    weight: number;
    apis: string[];
    attempts_24h: number;
    failed_24h: number;
    id: string;
    name: string;
    capability: string;
  }[];
  health: {
    status: string;
    state: string;
    sentence: string | null;
    since: string | null;
    last_traffic_at: string | null;
    requests_5m: number;
    requests_24h: number;
    success_5m: number | null;
    success_24h: number | null;
    latency_ms: { p50: number; p95: number } | null;
    time_to_first_token_ms: { p50: number; p95: number } | null;
  };
  breakers: {
    data_plane: string;
    model: string | null;
    shuts_out: 'everyone' | 'failing_payers';
    since: string;
  }[];
  credentials: {
    object: 'credential';
    name: string;
    state: 'set' | 'missing' | 'refused' | 'unreadable' | 'unknown';
    stored: boolean;
    set_at: string | null;
    last_four: string | null;
    data_planes: { id: string; set: boolean | null }[];
    providers: string[];
    refusals: {
      http_status: number | null;
      refusals: number;
      since: string;
      last_refused_at: string;
      models: string[];
      data_planes: string[];
      provider: string;
    }[];
  }[];
  identity_refusal: {
    http_status: number | null;
    refusals: number;
    since: string;
    last_refused_at: string;
    models: string[];
    data_planes: string[];
  } | null;
};

export type ProviderList = {
  object: 'list';
  data: Provider[];
  has_more: boolean;
  next_cursor: string | null;
};

export type Receipt = {
  object: 'usage.receipt';
  id: string;
  account_id: string;
  account_email: string | null;
  seat_id: string | null;
  team_id: string | null;
  key_id: string;
  key_name: string | null;
  ended_at: string;
  model: string;
  capability:
    | 'chat'
    | 'completions'
    | 'embeddings'
    | 'rerank'
    | 'images'
    | 'speech'
    | 'transcription'
    | 'moderation';
  status: number | null;
  code: string | null;
  units: {
    input_tokens: number;
    cached_input_tokens: number;
    cache_write_tokens: number;
    cache_write_1h_tokens: number;
    audio_input_tokens: number;
    image_input_tokens: number;
    output_tokens: number;
    reasoning_tokens: number;
    audio_output_tokens: number;
    image_output_tokens: number;
    images: number;
    characters: number;
    audio_seconds: number;
    search_units: number;
    web_search_requests: number;
    tool_calls: number;
  };
  billing_reason: 'completed' | 'aborted_partial' | 'upstream_failed_free' | 'estimated' | 'cache_hit';
  tags: Record<string, string>;
  end_user: string | null;
  session: string | null;
  service_tier: string | null;
  cost_usd: string;
  charged_usd?: string;
  margin_usd?: string;
  attempts_cost_usd?: string;
  price_list_version?: number | null;
  settled_usd: string;
  usage_source: 'provider' | 'gateway' | 'estimated' | null;
  price_version: number | null;
  unpriced?: string[];
  pools: { id: string; name: string; scope: 'seat' | 'team' | 'account'; debited_usd: string }[];
  affinity: 'session' | 'prefix' | 'none' | null;
  rules_checked: string[];
  parts?: {
    model: string;
    price_version: number | null;
    units: {
      input_tokens: number;
      cached_input_tokens: number;
      cache_write_tokens: number;
      cache_write_1h_tokens: number;
      audio_input_tokens: number;
      image_input_tokens: number;
      output_tokens: number;
      reasoning_tokens: number;
      audio_output_tokens: number;
      image_output_tokens: number;
      images: number;
      characters: number;
      audio_seconds: number;
      search_units: number;
      web_search_requests: number;
      tool_calls: number;
    };
    cost_usd: string;
    unpriced?: string[];
    charged_usd?: string;
    margin_usd?: string;
  }[];
  pricing: Record<string, string>;
  held_usd: string;
  uncollected_usd: string;
  arrived_at: string | null;
  settled_at: string;
  has_contents: boolean;
  attempts: {
    provider: string;
    model: string;
    status: number | null;
    code: string | null;
    error: string | null;
    duration_ms: number;
    started_at: string | null;
    time_to_first_token_ms: number | null;
    credential_env: string | null;
    operator_error: string | null;
    estimated_units?: {
      input_tokens: number;
      cached_input_tokens: number;
      cache_write_tokens: number;
      cache_write_1h_tokens: number;
      audio_input_tokens: number;
      image_input_tokens: number;
      output_tokens: number;
      reasoning_tokens: number;
      audio_output_tokens: number;
      image_output_tokens: number;
      images: number;
      characters: number;
      audio_seconds: number;
      search_units: number;
      web_search_requests: number;
      tool_calls: number;
    } | null;
    estimated_cost_usd?: string | null;
    provider_request_id?: string | null;
  }[];
};

export type ReceiptList = {
  object: 'list';
  data: ReceiptSummary[];
  has_more: boolean;
  next_cursor: string | null;
  searched_back_to: string | null;
};

export type ReceiptSummary = {
  object: 'usage.receipt';
  id: string;
  account_id: string;
  account_email: string | null;
  seat_id: string | null;
  team_id: string | null;
  key_id: string;
  key_name: string | null;
  ended_at: string;
  model: string;
  capability:
    | 'chat'
    | 'completions'
    | 'embeddings'
    | 'rerank'
    | 'images'
    | 'speech'
    | 'transcription'
    | 'moderation';
  status: number | null;
  code: string | null;
  units: {
    input_tokens: number;
    cached_input_tokens: number;
    cache_write_tokens: number;
    cache_write_1h_tokens: number;
    audio_input_tokens: number;
    image_input_tokens: number;
    output_tokens: number;
    reasoning_tokens: number;
    audio_output_tokens: number;
    image_output_tokens: number;
    images: number;
    characters: number;
    audio_seconds: number;
    search_units: number;
    web_search_requests: number;
    tool_calls: number;
  };
  billing_reason: 'completed' | 'aborted_partial' | 'upstream_failed_free' | 'estimated' | 'cache_hit';
  tags: Record<string, string>;
  end_user: string | null;
  session: string | null;
  service_tier: string | null;
  cost_usd: string;
  charged_usd?: string;
  margin_usd?: string;
  attempts_cost_usd?: string;
  price_list_version?: number | null;
  settled_usd: string;
  provider: string | null;
  duration_ms: number;
  time_to_first_token_ms: number | null;
};

export type RefusedRequests = {
  object: 'refused_requests';
  id: string;
  account_id: string;
  account_email: string | null;
  seat_id: string | null;
  key_id: string;
  key_name: string | null;
  model: string | null;
  capability:
    | 'chat'
    | 'completions'
    | 'embeddings'
    | 'rerank'
    | 'images'
    | 'speech'
    | 'transcription'
    | 'moderation';
  status: number;
  code: string;
  count: number;
  first_at: string;
  last_at: string;
};

export type RefusedRequestsList = {
  object: 'list';
  data: RefusedRequests[];
  has_more: boolean;
  next_cursor: string | null;
  searched_back_to: string | null;
};

export type RequestContents = {
  path: string;
  status: number;
  request: { content_type: string; bytes: number; text: string | null; cut: boolean };
  response: { content_type: string; bytes: number; text: string | null; cut: boolean };
  object: 'request.contents';
  id: string;
  account_id: string;
  stored_at: string;
  expires_at: string;
};

export type RotatedWebhook = {
  object: 'webhook';
  id: string;
  account_id: string | null;
  url: string;
  events: (
    | 'account.suspended'
    | 'budget.threshold_reached'
    | 'catalog.applied'
    | 'key.created'
    | 'key.expiring'
    | 'key.revoked'
    | 'ledger.mismatch'
    | 'model.unpriced_unit'
    | 'pool.threshold_reached'
    | 'provider.down'
    | 'provider.up'
    | 'reconciliation.failed'
    | 'request.settled'
  )[];
  format: 'standard' | 'slack';
  description: string;
  status: 'enabled' | 'failing' | 'disabled';
  disabled_because: 'gone' | null;
  failing_since: string | null;
  created_at: string;
  secret: string;
  previous_secret_expires_at: string;
};

export type RulesReport = {
  models: string[] | null;
  providers: string[] | null;
  endpoints: string[] | null;
  networks: string[] | null;
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  streams: number | null;
  expires_at: string | number | null;
  require_tags: string[];
  require_end_user: boolean;
  budgets: {
    id: string;
    usd: string;
    window: 'day' | 'week' | 'month' | 'total';
    on_exceed: 'block' | 'warn';
    temporary_usd?: string | null;
    temporary_until?: string | number | null;
  }[];
  effective: {
    models: string[] | null;
    providers: string[] | null;
    endpoints: string[] | null;
    networks: string[] | null;
    requests_per_minute: number | null;
    tokens_per_minute: number | null;
    streams: number | null;
    expires_at: string | number | null;
    require_tags: string[];
    require_end_user: boolean;
    budgets: {
      id: string;
      usd: string;
      window: 'day' | 'week' | 'month' | 'total';
      on_exceed: 'block' | 'warn';
      temporary_usd?: string | null;
      temporary_until?: string | number | null;
      scope: 'key' | 'seat' | 'team' | 'account' | 'end_user';
    }[];
  };
  from: Record<string, string | null>;
  spend: {
    id: string;
    scope: 'key' | 'seat' | 'team' | 'account' | 'end_user';
    window: 'day' | 'week' | 'month' | 'total';
    on_exceed: 'block' | 'warn';
    limit_usd: string;
    spent_usd: string;
    reserved_usd: string;
    remaining_usd: string;
    resets_at: string | null;
  }[];
};

export type Scope =
  | 'accounts:read'
  | 'accounts:write'
  | 'keys:read'
  | 'keys:write'
  | 'teams:read'
  | 'teams:write'
  | 'pools:read'
  | 'pools:write'
  | 'rules:read'
  | 'rules:write'
  | 'catalog:read'
  | 'catalog:write'
  | 'usage:read'
  | 'usage:write'
  | 'audit:read'
  | 'audit:write'
  | 'events:read'
  | 'events:write'
  | 'fleet:read'
  | 'fleet:write';

export type SearchResult = {
  object: 'search_result';
  kind: 'account' | 'team' | 'seat' | 'key' | 'end_user' | 'member' | 'request';
  id: string;
  label: string;
  account: { id: string; name: string; email: string };
};

export type SearchResultList = { object: 'list'; data: SearchResult[] };

export type Seat = {
  object: 'seat';
  id: string;
  team_id: string;
  account_id: string;
  email: string;
  external_id: string | null;
  created_at: string;
  removed_at: string | null;
};

export type SeatList = { object: 'list'; data: Seat[]; has_more: boolean; next_cursor: string | null };

export type Storage = {
  object: 'storage';
  postgres: {
    version: string;
    latency_ms: number;
    size_bytes: number;
    connections: number;
    max_connections: number;
    tables: { name: string; size_bytes: number; rows: number | null }[];
    replicas: { name: string; state: string | null; lag_seconds: number | null }[];
  };
  redis: { reachable: boolean; latency_ms: number | null } | null;
};

export type Team = {
  object: 'team';
  id: string;
  account_id: string;
  external_id: string | null;
  name: string;
  requests_per_minute: number;
  created_at: string;
  deleted_at: string | null;
};

export type TeamList = { object: 'list'; data: Team[]; has_more: boolean; next_cursor: string | null };

export type Usage = {
  object: 'usage.summary';
  period: { start_time: number; end_time: number };
  totals: {
    requests: number;
    input_tokens: number;
    cached_input_tokens: number;
    cache_write_tokens: number;
    cache_write_1h_tokens: number;
    audio_input_tokens: number;
    image_input_tokens: number;
    output_tokens: number;
    reasoning_tokens: number;
    audio_output_tokens: number;
    image_output_tokens: number;
    images: number;
    characters: number;
    audio_seconds: number;
    search_units: number;
    web_search_requests: number;
    tool_calls: number;
    cost_usd: string;
    charged_usd?: string;
    margin_usd?: string;
  };
  data: {
    object: 'bucket';
    start_time: number;
    end_time: number;
    results: {
      model?: string;
      key?: string;
      capability?:
        | 'chat'
        | 'completions'
        | 'embeddings'
        | 'rerank'
        | 'images'
        | 'speech'
        | 'transcription'
        | 'moderation';
      tag?: Record<string, string | null>;
      end_user?: string | null;
      session?: string | null;
      requests: number;
      input_tokens: number;
      cached_input_tokens: number;
      cache_write_tokens: number;
      cache_write_1h_tokens: number;
      audio_input_tokens: number;
      image_input_tokens: number;
      output_tokens: number;
      reasoning_tokens: number;
      audio_output_tokens: number;
      image_output_tokens: number;
      images: number;
      characters: number;
      audio_seconds: number;
      search_units: number;
      web_search_requests: number;
      tool_calls: number;
      cost_usd: string;
      account?: string | null;
      team?: string | null;
      seat?: string | null;
      charged_usd?: string;
      margin_usd?: string;
    }[];
  }[];
  has_more: boolean;
  next_page: string | null;
};

export type Verification = {
  object: 'verification';
  id: string;
  state: 'running' | 'done' | 'failed';
  started_at: string;
  ended_at: string | null;
  agrees: boolean | null;
  result: {
    ledger?: {
      pools: number;
      usage_records: number;
      ledger_entries: number;
      disagreements: { kind: string; id: string; problem: string }[];
    };
    audit_log?: {
      events: number;
      broken: { chain: number; position: number; id: string | null; problem: string } | null;
    };
  } | null;
  problem: string | null;
};

export type VerificationList = {
  object: 'list';
  data: Verification[];
  has_more: boolean;
  next_cursor: string | null;
};

export type Webhook = {
  object: 'webhook';
  id: string;
  account_id: string | null;
  url: string;
  events: (
    | 'account.suspended'
    | 'budget.threshold_reached'
    | 'catalog.applied'
    | 'key.created'
    | 'key.expiring'
    | 'key.revoked'
    | 'ledger.mismatch'
    | 'model.unpriced_unit'
    | 'pool.threshold_reached'
    | 'provider.down'
    | 'provider.up'
    | 'reconciliation.failed'
    | 'request.settled'
  )[];
  format: 'standard' | 'slack';
  description: string;
  status: 'enabled' | 'failing' | 'disabled';
  disabled_because: 'gone' | null;
  failing_since: string | null;
  created_at: string;
};

export type WebhookDelivery = {
  object: 'webhook_delivery';
  event_id: string;
  type: string;
  account_id: string | null;
  event_at: string;
  state: 'pending' | 'delivered' | 'failed' | 'held';
  due_at: string | null;
  attempts: {
    at: string;
    duration_ms: number;
    status: number | null;
    error: string | null;
    response: string | null;
  }[];
};

export type WebhookDeliveryList = {
  object: 'list';
  data: WebhookDelivery[];
  has_more: boolean;
  next_cursor: string | null;
};

export type WebhookList = { object: 'list'; data: Webhook[]; has_more: boolean; next_cursor: string | null };

export type WebhookRedelivery = { object: 'webhook_redelivery'; count: number };

export interface Operations {
  createAccount: {
    method: 'POST';
    body: {
      email: string;
      name?: string;
      external_id?: string;
      timezone?: string;
      week_starts?: 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday';
      price_list_id?: string | null;
    };
    response: Account;
  };
  listAccounts: {
    method: 'GET';
    query?: {
      limit?: number;
      cursor?: string;
      external_id?: string;
      email?: string;
      search?: string;
      suspended?: boolean;
    };
    response: AccountList;
  };
  getAccount: { method: 'GET'; path: { id: string }; response: Account };
  changeAccount: {
    method: 'PATCH';
    path: { id: string };
    body?: {
      name?: string;
      external_id?: string | null;
      timezone?: string;
      week_starts?: 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday';
      threshold_mails?: boolean;
      limits?: {
        free_per_minute?: number | null;
        paid_per_minute?: number | null;
        reads_per_minute?: number | null;
        concurrent_streams?: number | null;
      };
      price_list_id?: string | null;
    };
    response: Account;
  };
  deleteAccount: {
    method: 'DELETE';
    path: { id: string };
    response: { id: string; object: 'account'; deleted: true };
  };
  suspendAccount: { method: 'POST'; path: { id: string }; body?: Record<never, never>; response: Account };
  resumeAccount: { method: 'POST'; path: { id: string }; body?: Record<never, never>; response: Account };
  viewAccount: { method: 'POST'; path: { id: string }; body?: Record<never, never>; response: Account };
  search: { method: 'GET'; query: { q: string }; response: SearchResultList };
  addMember: {
    method: 'POST';
    path: { id: string };
    body: {
      email: string;
      role: 'viewer' | 'developer' | 'admin' | 'owner';
      name?: string;
      invite?: boolean;
    };
    response: NewMember;
  };
  listMembers: {
    method: 'GET';
    path: { id: string };
    query?: { limit?: number; cursor?: string };
    response: MemberList;
  };
  getMember: { method: 'GET'; path: { id: string; member: string }; response: Member };
  changeMember: {
    method: 'PATCH';
    path: { id: string; member: string };
    body: { role: 'viewer' | 'developer' | 'admin' | 'owner' };
    response: Member;
  };
  removeMember: {
    method: 'DELETE';
    path: { id: string; member: string };
    response: { id: string; object: 'member'; deleted: true };
  };
  createKey: {
    method: 'POST';
    body: {
      account_id?: string;
      seat_id?: string;
      name: string;
      external_id?: string;
      rules?: {
        models?: string[] | null;
        providers?: string[] | null;
        endpoints?:
          | (
              | 'chat'
              | 'completions'
              | 'embeddings'
              | 'rerank'
              | 'images'
              | 'speech'
              | 'transcription'
              | 'moderation'
            )[]
          | null;
        networks?: string[] | null;
        budgets?: {
          id?: string;
          usd: string;
          window: 'day' | 'week' | 'month' | 'total';
          on_exceed?: 'block' | 'warn';
          temporary_usd?: string | null;
          temporary_until?: string | number | null;
        }[];
        requests_per_minute?: number | null;
        tokens_per_minute?: number | null;
        streams?: number | null;
        expires_at?: string | number | null;
        require_tags?: string[];
        require_end_user?: boolean;
      };
      tags?: Record<string, string>;
      cache?: string | null;
      expires_at?: string | number | null;
    };
    response: NewKey;
  };
  listKeys: {
    method: 'GET';
    query?: { limit?: number; cursor?: string; external_id?: string; account_id?: string; seat_id?: string };
    response: KeyList;
  };
  getKey: { method: 'GET'; path: { id: string }; response: Key };
  changeKey: {
    method: 'PATCH';
    path: { id: string };
    body?: {
      name?: string;
      external_id?: string | null;
      rules?: {
        models?: string[] | null;
        providers?: string[] | null;
        endpoints?:
          | (
              | 'chat'
              | 'completions'
              | 'embeddings'
              | 'rerank'
              | 'images'
              | 'speech'
              | 'transcription'
              | 'moderation'
            )[]
          | null;
        networks?: string[] | null;
        budgets?: {
          id?: string;
          usd: string;
          window: 'day' | 'week' | 'month' | 'total';
          on_exceed?: 'block' | 'warn';
          temporary_usd?: string | null;
          temporary_until?: string | number | null;
        }[];
        requests_per_minute?: number | null;
        tokens_per_minute?: number | null;
        streams?: number | null;
        expires_at?: string | number | null;
        require_tags?: string[];
        require_end_user?: boolean;
      };
      tags?: Record<string, string>;
      cache?: string | null;
      expires_at?: string | number | null;
      disabled?: boolean;
    };
    response: Key;
  };
  revokeKey: {
    method: 'DELETE';
    path: { id: string };
    response: { id: string; object: 'key'; deleted: true };
  };
  rotateKey: { method: 'POST'; path: { id: string }; body?: { overlap_seconds?: number }; response: NewKey };
  getRules: {
    method: 'GET';
    path: { kind: string; id: string };
    query?: { account_id?: string };
    response: RulesReport;
  };
  setRules: {
    method: 'PUT';
    path: { kind: string; id: string };
    query?: { account_id?: string };
    body?: {
      models?: string[] | null;
      providers?: string[] | null;
      endpoints?:
        | (
            | 'chat'
            | 'completions'
            | 'embeddings'
            | 'rerank'
            | 'images'
            | 'speech'
            | 'transcription'
            | 'moderation'
          )[]
        | null;
      networks?: string[] | null;
      budgets?: {
        id?: string;
        usd: string;
        window: 'day' | 'week' | 'month' | 'total';
        on_exceed?: 'block' | 'warn';
        temporary_usd?: string | null;
        temporary_until?: string | number | null;
      }[];
      requests_per_minute?: number | null;
      tokens_per_minute?: number | null;
      streams?: number | null;
      expires_at?: string | number | null;
      require_tags?: string[];
      require_end_user?: boolean;
    };
    response: RulesReport;
  };
  createEndUser: {
    method: 'POST';
    body: { account_id?: string; id: string; external_id?: string | null };
    response: EndUser;
  };
  listEndUsers: {
    method: 'GET';
    query?: { limit?: number; cursor?: string; account_id?: string; external_id?: string };
    response: EndUserList;
  };
  getEndUser: { method: 'GET'; path: { id: string }; query?: { account_id?: string }; response: EndUser };
  changeEndUser: {
    method: 'PATCH';
    path: { id: string };
    query?: { account_id?: string };
    body: { external_id: string | null };
    response: EndUser;
  };
  deleteEndUser: {
    method: 'DELETE';
    path: { id: string };
    query?: { account_id?: string };
    response: { id: string; object: 'end_user'; deleted: true; requests: number };
  };
  createTeam: {
    method: 'POST';
    body: { account_id?: string; name: string; requests_per_minute?: number; external_id?: string };
    response: Team;
  };
  listTeams: {
    method: 'GET';
    query?: { limit?: number; cursor?: string; external_id?: string; account_id?: string };
    response: TeamList;
  };
  getTeam: { method: 'GET'; path: { id: string }; response: Team };
  changeTeam: {
    method: 'PATCH';
    path: { id: string };
    body?: { name?: string; requests_per_minute?: number; external_id?: string | null };
    response: Team;
  };
  deleteTeam: {
    method: 'DELETE';
    path: { id: string };
    response: { id: string; object: 'team'; deleted: true };
  };
  createSeat: {
    method: 'POST';
    body: { team_id: string; account_id: string; external_id?: string };
    response: Seat;
  };
  listSeats: {
    method: 'GET';
    query?: { limit?: number; cursor?: string; external_id?: string; team_id?: string; account_id?: string };
    response: SeatList;
  };
  getSeat: { method: 'GET'; path: { id: string }; response: Seat };
  changeSeat: {
    method: 'PATCH';
    path: { id: string };
    body?: { external_id?: string | null; account_id?: string };
    response: Seat;
  };
  removeSeat: {
    method: 'DELETE';
    path: { id: string };
    response: { id: string; object: 'seat'; deleted: true };
  };
  createPool: {
    method: 'POST';
    body?: {
      account_id?: string;
      team_id?: string;
      seat_id?: string;
      usd?: string;
      unlimited?: boolean;
      name?: string;
      resets?: 'monthly' | 'never';
      expires_at?: string | number | null;
    };
    response: Pool;
  };
  listPools: {
    method: 'GET';
    query?: { limit?: number; cursor?: string; account_id?: string; team_id?: string; seat_id?: string };
    response: PoolList;
  };
  getPool: { method: 'GET'; path: { id: string }; response: Pool };
  changePool: {
    method: 'PATCH';
    path: { id: string };
    body?: { usd?: string; unlimited?: boolean; name?: string };
    response: Pool;
  };
  removePool: {
    method: 'DELETE';
    path: { id: string };
    response: { id: string; object: 'pool'; deleted: true; taken_usd: string };
  };
  getCatalog: { method: 'GET'; response: Catalog };
  planCatalog: { method: 'POST'; body?: Record<string, unknown>; response: CatalogPlan };
  applyCatalog: { method: 'POST'; body?: Record<string, unknown>; response: AppliedCatalog };
  listCatalogVersions: {
    method: 'GET';
    query?: { limit?: number; cursor?: string };
    response: CatalogVersionList;
  };
  getCatalogVersion: { method: 'GET'; path: { revision: string }; response: CatalogVersionDetails };
  createPriceList: {
    method: 'POST';
    body: {
      name: string;
      is_default?: boolean;
      factor?: string;
      models?: {
        model: string;
        factor?: string;
        pricing?: {
          input_per_million_usd?: string;
          cached_input_per_million_usd?: string;
          cache_write_per_million_usd?: string;
          cache_write_1h_per_million_usd?: string;
          audio_input_per_million_usd?: string;
          image_input_per_million_usd?: string;
          output_per_million_usd?: string;
          reasoning_per_million_usd?: string;
          audio_output_per_million_usd?: string;
          image_output_per_million_usd?: string;
          image_usd?: string;
          characters_per_million_usd?: string;
          audio_second_usd?: string;
          search_unit_usd?: string;
          web_search_request_usd?: string;
          tool_call_usd?: string;
          tiers?: {
            above_input_tokens: number;
            input_per_million_usd?: string;
            cached_input_per_million_usd?: string;
            cache_write_per_million_usd?: string;
            cache_write_1h_per_million_usd?: string;
            audio_input_per_million_usd?: string;
            image_input_per_million_usd?: string;
            output_per_million_usd?: string;
            reasoning_per_million_usd?: string;
            audio_output_per_million_usd?: string;
            image_output_per_million_usd?: string;
            image_usd?: string;
            characters_per_million_usd?: string;
            audio_second_usd?: string;
            search_unit_usd?: string;
            web_search_request_usd?: string;
            tool_call_usd?: string;
          }[];
          service_tiers?: {
            flex?: {
              input_per_million_usd?: string;
              cached_input_per_million_usd?: string;
              cache_write_per_million_usd?: string;
              cache_write_1h_per_million_usd?: string;
              audio_input_per_million_usd?: string;
              image_input_per_million_usd?: string;
              output_per_million_usd?: string;
              reasoning_per_million_usd?: string;
              audio_output_per_million_usd?: string;
              image_output_per_million_usd?: string;
              image_usd?: string;
              characters_per_million_usd?: string;
              audio_second_usd?: string;
              search_unit_usd?: string;
              web_search_request_usd?: string;
              tool_call_usd?: string;
              tiers?: {
                above_input_tokens: number;
                input_per_million_usd?: string;
                cached_input_per_million_usd?: string;
                cache_write_per_million_usd?: string;
                cache_write_1h_per_million_usd?: string;
                audio_input_per_million_usd?: string;
                image_input_per_million_usd?: string;
                output_per_million_usd?: string;
                reasoning_per_million_usd?: string;
                audio_output_per_million_usd?: string;
                image_output_per_million_usd?: string;
                image_usd?: string;
                characters_per_million_usd?: string;
                audio_second_usd?: string;
                search_unit_usd?: string;
                web_search_request_usd?: string;
                tool_call_usd?: string;
              }[];
            };
            priority?: {
              input_per_million_usd?: string;
              cached_input_per_million_usd?: string;
              cache_write_per_million_usd?: string;
              cache_write_1h_per_million_usd?: string;
              audio_input_per_million_usd?: string;
              image_input_per_million_usd?: string;
              output_per_million_usd?: string;
              reasoning_per_million_usd?: string;
              audio_output_per_million_usd?: string;
              image_output_per_million_usd?: string;
              image_usd?: string;
              characters_per_million_usd?: string;
              audio_second_usd?: string;
              search_unit_usd?: string;
              web_search_request_usd?: string;
              tool_call_usd?: string;
              tiers?: {
                above_input_tokens: number;
                input_per_million_usd?: string;
                cached_input_per_million_usd?: string;
                cache_write_per_million_usd?: string;
                cache_write_1h_per_million_usd?: string;
                audio_input_per_million_usd?: string;
                image_input_per_million_usd?: string;
                output_per_million_usd?: string;
                reasoning_per_million_usd?: string;
                audio_output_per_million_usd?: string;
                image_output_per_million_usd?: string;
                image_usd?: string;
                characters_per_million_usd?: string;
                audio_second_usd?: string;
                search_unit_usd?: string;
                web_search_request_usd?: string;
                tool_call_usd?: string;
              }[];
            };
            batch?: {
              input_per_million_usd?: string;
              cached_input_per_million_usd?: string;
              cache_write_per_million_usd?: string;
              cache_write_1h_per_million_usd?: string;
              audio_input_per_million_usd?: string;
              image_input_per_million_usd?: string;
              output_per_million_usd?: string;
              reasoning_per_million_usd?: string;
              audio_output_per_million_usd?: string;
              image_output_per_million_usd?: string;
              image_usd?: string;
              characters_per_million_usd?: string;
              audio_second_usd?: string;
              search_unit_usd?: string;
              web_search_request_usd?: string;
              tool_call_usd?: string;
              tiers?: {
                above_input_tokens: number;
                input_per_million_usd?: string;
                cached_input_per_million_usd?: string;
                cache_write_per_million_usd?: string;
                cache_write_1h_per_million_usd?: string;
                audio_input_per_million_usd?: string;
                image_input_per_million_usd?: string;
                output_per_million_usd?: string;
                reasoning_per_million_usd?: string;
                audio_output_per_million_usd?: string;
                image_output_per_million_usd?: string;
                image_usd?: string;
                characters_per_million_usd?: string;
                audio_second_usd?: string;
                search_unit_usd?: string;
                web_search_request_usd?: string;
                tool_call_usd?: string;
              }[];
            };
          };
        };
      }[];
      valid_from?: string | number;
    };
    response: PriceList;
  };
  listPriceLists: { method: 'GET'; query?: { limit?: number; cursor?: string }; response: PriceListList };
  getPriceList: { method: 'GET'; path: { id: string }; response: FullPriceList };
  changePriceList: {
    method: 'PATCH';
    path: { id: string };
    body?: { name?: string; is_default?: boolean };
    response: PriceList;
  };
  deletePriceList: {
    method: 'DELETE';
    path: { id: string };
    response: { id: string; object: 'price_list'; deleted: true };
  };
  addPriceListVersion: {
    method: 'POST';
    path: { id: string };
    body?: {
      factor?: string;
      models?: {
        model: string;
        factor?: string;
        pricing?: {
          input_per_million_usd?: string;
          cached_input_per_million_usd?: string;
          cache_write_per_million_usd?: string;
          cache_write_1h_per_million_usd?: string;
          audio_input_per_million_usd?: string;
          image_input_per_million_usd?: string;
          output_per_million_usd?: string;
          reasoning_per_million_usd?: string;
          audio_output_per_million_usd?: string;
          image_output_per_million_usd?: string;
          image_usd?: string;
          characters_per_million_usd?: string;
          audio_second_usd?: string;
          search_unit_usd?: string;
          web_search_request_usd?: string;
          tool_call_usd?: string;
          tiers?: {
            above_input_tokens: number;
            input_per_million_usd?: string;
            cached_input_per_million_usd?: string;
            cache_write_per_million_usd?: string;
            cache_write_1h_per_million_usd?: string;
            audio_input_per_million_usd?: string;
            image_input_per_million_usd?: string;
            output_per_million_usd?: string;
            reasoning_per_million_usd?: string;
            audio_output_per_million_usd?: string;
            image_output_per_million_usd?: string;
            image_usd?: string;
            characters_per_million_usd?: string;
            audio_second_usd?: string;
            search_unit_usd?: string;
            web_search_request_usd?: string;
            tool_call_usd?: string;
          }[];
          service_tiers?: {
            flex?: {
              input_per_million_usd?: string;
              cached_input_per_million_usd?: string;
              cache_write_per_million_usd?: string;
              cache_write_1h_per_million_usd?: string;
              audio_input_per_million_usd?: string;
              image_input_per_million_usd?: string;
              output_per_million_usd?: string;
              reasoning_per_million_usd?: string;
              audio_output_per_million_usd?: string;
              image_output_per_million_usd?: string;
              image_usd?: string;
              characters_per_million_usd?: string;
              audio_second_usd?: string;
              search_unit_usd?: string;
              web_search_request_usd?: string;
              tool_call_usd?: string;
              tiers?: {
                above_input_tokens: number;
                input_per_million_usd?: string;
                cached_input_per_million_usd?: string;
                cache_write_per_million_usd?: string;
                cache_write_1h_per_million_usd?: string;
                audio_input_per_million_usd?: string;
                image_input_per_million_usd?: string;
                output_per_million_usd?: string;
                reasoning_per_million_usd?: string;
                audio_output_per_million_usd?: string;
                image_output_per_million_usd?: string;
                image_usd?: string;
                characters_per_million_usd?: string;
                audio_second_usd?: string;
                search_unit_usd?: string;
                web_search_request_usd?: string;
                tool_call_usd?: string;
              }[];
            };
            priority?: {
              input_per_million_usd?: string;
              cached_input_per_million_usd?: string;
              cache_write_per_million_usd?: string;
              cache_write_1h_per_million_usd?: string;
              audio_input_per_million_usd?: string;
              image_input_per_million_usd?: string;
              output_per_million_usd?: string;
              reasoning_per_million_usd?: string;
              audio_output_per_million_usd?: string;
              image_output_per_million_usd?: string;
              image_usd?: string;
              characters_per_million_usd?: string;
              audio_second_usd?: string;
              search_unit_usd?: string;
              web_search_request_usd?: string;
              tool_call_usd?: string;
              tiers?: {
                above_input_tokens: number;
                input_per_million_usd?: string;
                cached_input_per_million_usd?: string;
                cache_write_per_million_usd?: string;
                cache_write_1h_per_million_usd?: string;
                audio_input_per_million_usd?: string;
                image_input_per_million_usd?: string;
                output_per_million_usd?: string;
                reasoning_per_million_usd?: string;
                audio_output_per_million_usd?: string;
                image_output_per_million_usd?: string;
                image_usd?: string;
                characters_per_million_usd?: string;
                audio_second_usd?: string;
                search_unit_usd?: string;
                web_search_request_usd?: string;
                tool_call_usd?: string;
              }[];
            };
            batch?: {
              input_per_million_usd?: string;
              cached_input_per_million_usd?: string;
              cache_write_per_million_usd?: string;
              cache_write_1h_per_million_usd?: string;
              audio_input_per_million_usd?: string;
              image_input_per_million_usd?: string;
              output_per_million_usd?: string;
              reasoning_per_million_usd?: string;
              audio_output_per_million_usd?: string;
              image_output_per_million_usd?: string;
              image_usd?: string;
              characters_per_million_usd?: string;
              audio_second_usd?: string;
              search_unit_usd?: string;
              web_search_request_usd?: string;
              tool_call_usd?: string;
              tiers?: {
                above_input_tokens: number;
                input_per_million_usd?: string;
                cached_input_per_million_usd?: string;
                cache_write_per_million_usd?: string;
                cache_write_1h_per_million_usd?: string;
                audio_input_per_million_usd?: string;
                image_input_per_million_usd?: string;
                output_per_million_usd?: string;
                reasoning_per_million_usd?: string;
                audio_output_per_million_usd?: string;
                image_output_per_million_usd?: string;
                image_usd?: string;
                characters_per_million_usd?: string;
                audio_second_usd?: string;
                search_unit_usd?: string;
                web_search_request_usd?: string;
                tool_call_usd?: string;
              }[];
            };
          };
        };
      }[];
      valid_from?: string | number;
    };
    response: PriceList;
  };
  listProviders: { method: 'GET'; response: ProviderList };
  getProvider: { method: 'GET'; path: { id: string }; response: ProviderDetails };
  listModels: {
    method: 'GET';
    query?: { limit?: number; cursor?: string; provider?: string; search?: string };
    response: ModelList;
  };
  getModel: { method: 'GET'; path: { id: string }; response: ModelDetails };
  listCredentials: { method: 'GET'; response: CredentialList };
  setCredential: { method: 'PUT'; path: { name: string }; body: { value: string }; response: Credential };
  removeCredential: {
    method: 'DELETE';
    path: { name: string };
    response: { id: string; object: 'credential'; deleted: true };
  };
  getUsage: {
    method: 'GET';
    query?: {
      account_id?: string;
      team_id?: string;
      seat_id?: string;
      keys?: string[];
      models?: string[];
      tags?: Record<string, string[]>;
      end_users?: string[];
      sessions?: string[];
      start_time?: string;
      end_time?: string;
      bucket_width?: '1m' | '1h' | '1d';
      group_by?: string[];
      limit?: number;
      page?: string;
    };
    response: Usage;
  };
  listReceipts: {
    method: 'GET';
    query?: {
      account_id?: string;
      team_id?: string;
      seat_id?: string;
      key_id?: string;
      request_id?: string;
      model?: string;
      provider?: string;
      capability?:
        | 'chat'
        | 'completions'
        | 'embeddings'
        | 'rerank'
        | 'images'
        | 'speech'
        | 'transcription'
        | 'moderation';
      status?: string;
      code?: string;
      billing_reason?: 'completed' | 'aborted_partial' | 'upstream_failed_free' | 'estimated' | 'cache_hit';
      min_cost_usd?: string;
      min_duration_ms?: number;
      tags?: Record<string, string[]>;
      end_users?: string[];
      sessions?: string[];
      start_time?: string;
      end_time?: string;
      limit?: number;
      cursor?: string;
    };
    response: ReceiptList;
  };
  getReceipt: { method: 'GET'; path: { id: string }; response: Receipt };
  listRefusedRequests: {
    method: 'GET';
    query?: {
      limit?: number;
      cursor?: string;
      account_id?: string;
      seat_id?: string;
      key_id?: string;
      model?: string;
      capability?:
        | 'chat'
        | 'completions'
        | 'embeddings'
        | 'rerank'
        | 'images'
        | 'speech'
        | 'transcription'
        | 'moderation';
      status?: string;
      code?: string;
      start_time?: string;
      end_time?: string;
    };
    response: RefusedRequestsList;
  };
  viewContents: { method: 'GET'; path: { id: string }; response: RequestContents };
  listAuditEvents: {
    method: 'GET';
    query?: {
      limit?: number;
      cursor?: string;
      account_id?: string;
      action?: string;
      actor?: string;
      object_id?: string;
      outcome?: 'done' | 'denied';
      since?: string;
      until?: string;
    };
    response: AuditEventList;
  };
  getAuditEvent: { method: 'GET'; path: { id: string }; response: AuditEvent };
  startAuditLogVerification: { method: 'POST'; body?: Record<never, never>; response: Verification };
  listAuditLogVerifications: { method: 'GET'; response: VerificationList };
  getOverview: { method: 'GET'; query?: { period?: '1h' | '24h' | '7d' | '30d' }; response: Overview };
  listTopAccounts: {
    method: 'GET';
    query?: { period?: '1h' | '24h' | '7d' | '30d'; limit?: number };
    response: AccountSpendList;
  };
  listAttention: { method: 'GET'; response: Attention };
  getFleet: { method: 'GET'; response: Fleet };
  verifyLedger: { method: 'POST'; body?: Record<never, never>; response: LedgerVerification };
  getStorage: { method: 'GET'; response: Storage };
  drainDataPlane: {
    method: 'POST';
    path: { id: string };
    body?: Record<never, never>;
    response: DrainedDataPlane;
  };
  undrainDataPlane: {
    method: 'POST';
    path: { id: string };
    body?: Record<never, never>;
    response: DrainedDataPlane;
  };
  startLedgerVerification: { method: 'POST'; body?: Record<never, never>; response: Verification };
  listLedgerVerifications: { method: 'GET'; response: VerificationList };
  createAdminKey: {
    method: 'POST';
    body: {
      name: string;
      scopes: Scope[];
      account_id?: string;
      networks?: string[] | null;
      expires_at?: string | number | null;
    };
    response: NewAdminKey;
  };
  listAdminKeys: {
    method: 'GET';
    query?: { limit?: number; cursor?: string; account_id?: string };
    response: AdminKeyList;
  };
  getAdminKey: { method: 'GET'; path: { id: string }; response: AdminKey };
  revokeAdminKey: {
    method: 'DELETE';
    path: { id: string };
    response: { id: string; object: 'admin_key'; deleted: true };
  };
  createWebhook: {
    method: 'POST';
    body: {
      url: string;
      events: (
        | 'account.suspended'
        | 'budget.threshold_reached'
        | 'catalog.applied'
        | 'key.created'
        | 'key.expiring'
        | 'key.revoked'
        | 'ledger.mismatch'
        | 'model.unpriced_unit'
        | 'pool.threshold_reached'
        | 'provider.down'
        | 'provider.up'
        | 'reconciliation.failed'
        | 'request.settled'
      )[];
      format?: 'standard' | 'slack';
      description?: string;
      account_id?: string;
    };
    response: NewWebhook;
  };
  listWebhooks: {
    method: 'GET';
    query?: { limit?: number; cursor?: string; account_id?: string };
    response: WebhookList;
  };
  getWebhook: { method: 'GET'; path: { id: string }; response: Webhook };
  changeWebhook: {
    method: 'PATCH';
    path: { id: string };
    body?: {
      url?: string;
      events?: (
        | 'account.suspended'
        | 'budget.threshold_reached'
        | 'catalog.applied'
        | 'key.created'
        | 'key.expiring'
        | 'key.revoked'
        | 'ledger.mismatch'
        | 'model.unpriced_unit'
        | 'pool.threshold_reached'
        | 'provider.down'
        | 'provider.up'
        | 'reconciliation.failed'
        | 'request.settled'
      )[];
      format?: 'standard' | 'slack';
      description?: string;
      enabled?: boolean;
    };
    response: Webhook;
  };
  removeWebhook: {
    method: 'DELETE';
    path: { id: string };
    response: { id: string; object: 'webhook'; deleted: true };
  };
  rotateWebhookSecret: {
    method: 'POST';
    path: { id: string };
    body?: Record<never, never>;
    response: RotatedWebhook;
  };
  testWebhook: {
    method: 'POST';
    path: { id: string };
    body?: Record<never, never>;
    response: WebhookDelivery;
  };
  redeliverWebhook: {
    method: 'POST';
    path: { id: string };
    body?: { event_id?: string; since?: string | number };
    response: WebhookRedelivery;
  };
  listWebhookDeliveries: {
    method: 'GET';
    path: { id: string };
    query?: { limit?: number; cursor?: string; state?: 'pending' | 'delivered' | 'failed' | 'held' };
    response: WebhookDeliveryList;
  };
  pullWebhookEvents: {
    method: 'GET';
    path: { id: string };
    query?: { limit?: number; after?: string };
    response: EventList;
  };
}
