/** A command of the script that runs by gRPC and by HTTP. */
export interface Step {
  /** `{name}` stands for the id that the step with this `as` has printed. */
  args: string;
  stdin?: string;
  /** Runs with --json alone, and keeps the printed id. Other steps run twice: as text, then as JSON. */
  as?: string;
  /** Runs only as text. */
  once?: true;
  /** Runs only with --json, and what it says of actors is not compared. */
  showsActors?: true;
}

const CATALOG = `
providers:
  - { id: acme, name: Acme AI, kind: openai-compatible, base_url: "http://127.0.0.1:9/v1", credential_env: ACME_API_KEY }
models:
  - id: acme/small
    name: Small
    capability: chat
    tier: paid
    context_length: 128000
    upstreams: [{ provider: acme, model: small }]
    pricing: { input_per_million_usd: "0.10", output_per_million_usd: "0.60" }
`;

const MORE = `
models:
  - { id: acme/free, name: Free, capability: chat, tier: free, upstreams: [{ provider: acme, model: free }] }
`;

/** Prices of litellm's file. */
const PRICES = `{
  "small": {"litellm_provider": "openai", "input_cost_per_token": 2e-07, "output_cost_per_token": 6e-07}
}`;

const ACCOUNTS = 'email,name,pool_usd,resets\nada@example.com,Ada,,\ncy@example.com,"Cy, C.",2.50,monthly\n';

const GATEWAY = `
accounts:
  - email: dee@example.com
    limits: { streams: 3 }
    rules: { budgets: [{ usd: "9", window: week }] }
    members: [{ email: eve@example.com, role: developer }]
    pools: [{ name: Main, usd: "4" }]
    teams: [{ name: Ops, seats: [{ account: ada@example.com }] }]
`;

/** Every command, in an order in which most succeed. A repeated change often fails, in both ways alike. */
export const SCRIPT: readonly Step[] = [
  { args: 'accounts create --email ada@example.com --name Ada --timezone Europe/Berlin', as: 'ada' },
  { args: 'accounts create --email ben@example.com', as: 'ben' },
  { args: 'accounts create --email not-an-address' },
  { args: 'accounts import -f -', stdin: ACCOUNTS },
  { args: 'accounts import -f - --dry-run', stdin: ACCOUNTS },
  { args: 'accounts change ada@example.com --week-starts sunday' },
  { args: 'accounts change {ada} --timezone Nowhere' },
  { args: 'accounts list --limit 2' },
  { args: 'accounts list --search ada' },
  {
    args: 'admin-keys create --name ci --scopes keys:write,usage:read --account {ada} --expires 30d',
    as: 'adminKey',
  },
  { args: 'admin-keys create --name wrong --scopes keys:delete' },
  { args: 'admin-keys list --account {ada}' },
  { args: 'admin-keys revoke {adminKey}' },
  {
    args: 'webhooks add --url https://localhost:1/hook --events key.expiring,account.suspended --account {ada}',
    as: 'webhook',
  },
  { args: 'webhooks add --url http://10.0.0.1/hook --events key.created' },
  { args: 'webhooks add --url https://localhost:1/hook --events key.lost' },
  { args: 'webhooks list --account {ada}' },
  { args: 'webhooks show {webhook}' },
  { args: 'webhooks change {webhook} --description CRM --disable' },
  { args: 'webhooks redeliver {webhook} --since 2026-01-01' },
  { args: 'webhooks change {webhook} --enable' },
  { args: 'webhooks redeliver {webhook} --since 2026-01-01' },
  { args: 'webhooks rotate {webhook}', once: true },
  { args: 'webhooks test {webhook}', once: true },
  { args: 'webhooks remove {webhook}' },
  { args: 'members add {ada} --email mo@example.com --role developer', once: true },
  { args: 'members invite {ada} --email mia@example.com --role viewer', once: true },
  { args: 'members list {ada}' },
  { args: 'members change {ada} --member mo@example.com --role viewer', once: true },
  { args: 'members remove {ada} --member mo@example.com', once: true },
  { args: 'roles grant --email eve@example.com --role auditor', once: true },
  { args: 'roles list' },
  { args: 'roles revoke --email eve@example.com --role auditor', once: true },
  { as: 'scimToken', args: 'scim-tokens create --name okta --account {ada}' },
  { args: 'scim-tokens list' },
  { args: 'scim-tokens revoke {scimToken}' },
  { args: 'limits set {ada} --free-per-minute 7 --streams default' },
  { args: 'limits show --account {ada}' },
  { args: 'teams create {ada} --name Lab', as: 'team' },
  { args: 'teams create nobody@example.com --name Lab' },
  { args: 'teams set-limit {team} --requests-per-minute 90' },
  { args: 'teams list {ada}' },
  { args: 'seats add --team {team} --account {ben}', as: 'seat' },
  { args: 'seats invite --team {team} --email new@example.com', as: 'invitation' },
  { args: 'seats list --team {team}' },
  { args: 'seats withdraw {invitation}' },
  {
    args: 'keys create {ada} --name ci --budget 25/month --tag project=alpha --cache read --expires 2099-01-01',
    as: 'key',
  },
  { args: 'keys create {ben} --seat {seat} --name lab', as: 'seatKey' },
  { args: 'keys create {ada} --seat {seat} --name wrong' },
  { args: 'keys create {ada} --name wrong --models acme/small --budget 1/day --budget 1/day' },
  { args: 'keys create {ada} --name wrong --cache store' },
  { args: 'keys rename {key} renamed' },
  { args: 'keys change {key} --models acme/small --requests-per-minute 9' },
  { args: 'keys change {key} --cache read,write;ttl=60' },
  { args: 'keys rotate {key} --overlap 24h', as: 'rotated' },
  { args: 'keys expire {rotated} --at 2098-01-01' },
  { args: 'keys expire {rotated} --at never' },
  { args: 'keys list {ada}' },
  { args: 'keys old-pepper' },
  { args: 'keys revoke {key}' },
  { args: 'keys revoke key_nothing' },
  { args: 'rules set --account {ada} -f -', stdin: '{"budgets":[{"usd":"9","window":"week"}]}' },
  { args: 'rules set --account {ada} -f -', stdin: '{"budget":1}' },
  { args: 'rules set --end-user u-1 --account {ada} -f -', stdin: '{"streams":2}' },
  { args: 'rules show --key {rotated}' },
  { args: 'pools add {ada} --usd 5.00 --resets monthly --name Main', as: 'pool' },
  { args: 'pools add --team {team} --unlimited', once: true },
  // With two pools of an account, their order would follow from random ids.
  { args: 'pools add --all --usd 1', once: true },
  { args: 'pools add --all --usd 1 --dry-run' },
  { args: 'pools change {pool} --usd 7.50' },
  { args: 'pools list {ada}' },
  { args: 'pools list --team {team}' },
  { args: 'pools remove {pool}' },
  { args: 'catalog apply -f - --dry-run', stdin: CATALOG },
  { args: 'catalog apply -f -', stdin: CATALOG },
  { args: 'catalog apply -f -', stdin: 'providers: 1\nmodels: []\n' },
  { args: 'catalog add -f -', stdin: MORE },
  { args: 'catalog show' },
  { args: 'catalog history', showsActors: true },
  { args: 'catalog rollback 1 --dry-run' },
  { args: 'catalog rollback 1' },
  { args: 'catalog rollback 9999' },
  { args: 'catalog check --provider nothing' },
  { args: 'prices sync --from - --dry-run', stdin: PRICES },
  { args: 'prices sync --from -', stdin: PRICES },
  { args: 'prices sync --from - --yes --match acme/small=small', stdin: PRICES },
  { args: 'price-lists create --name Partners --factor 1.2 --valid-from 2090-01-01', as: 'priceList' },
  { args: 'price-lists create --name wrong --factor 1,2' },
  { args: 'price-lists add-version {priceList} --factor 1.1 --valid-from 2091-01-01', once: true },
  { args: 'price-lists change {priceList} --name Resellers --default' },
  { args: 'price-lists show {priceList}' },
  { args: 'price-lists list' },
  { args: 'price-lists delete {priceList}' },
  { args: 'price-lists change {priceList} --no-default' },
  { args: 'price-lists delete {priceList}', once: true },
  { args: 'reconcile --provider acme --from 2026-02-01 --to 2026-02-02' },
  { args: 'focus export --from 2026-02-01 --to 2026-02-02 -o /dev/null' },
  { args: 'catalog remove acme/free' },
  { args: 'models list' },
  { args: 'providers list' },
  { args: 'credentials set ACME_API_KEY', stdin: 'sk-acme-0123456789' },
  { args: 'credentials list' },
  { args: 'credentials remove ACME_API_KEY' },
  { args: 'usage {ada} --since 2026-03-01 --until 2026-04-01' },
  { args: 'usage --all --since 2026-03-01 --until 2026-04-01' },
  { args: 'usage --team {team} --since 2026-03-01 --until 2026-04-01' },
  { args: 'receipts list {ada} --limit 1' },
  { args: 'receipts list --all --limit 1' },
  { args: 'receipts list' },
  { args: 'receipts show req_1' },
  { args: 'receipts show req_nothing' },
  { args: 'statements show {ada} --month 2026-03' },
  { args: 'verify-ledger' },
  { args: 'status' },
  { args: 'fleet drain nothing' },
  { args: 'fleet undrain nothing' },
  { args: 'demo remove' },
  { args: 'seats move {seat} --account cy@example.com' },
  { args: 'seats remove {seat}' },
  { args: 'teams delete {team}' },
  { args: 'accounts suspend {ben}' },
  { args: 'accounts resume {ben}' },
  { args: 'accounts reset-password {ben}' },
  { args: 'accounts delete {ben}' },
  { args: 'apply -f - --dry-run', stdin: GATEWAY },
  { args: 'apply -f -', stdin: GATEWAY },
  { args: 'apply -f -', stdin: 'accounts: [{ email: dee@example.com, budget: 1 }]' },
  { args: 'audit list --account {ada} --limit 200', showsActors: true },
  { args: 'audit export --since 2026-01-01', showsActors: true },
  { args: 'audit verify' },
  { args: 'completion bash' },
];

/** Splits the arguments, and puts ids in place of their names. */
export function argumentsOf({ args }: Step, ids: ReadonlyMap<string, string>): string[] {
  return args.split(' ').map((word) =>
    word.replace(/^\{(\w+)\}$/, (_, name: string) => {
      const id = ids.get(name);
      if (id === undefined) throw new Error(`${args}: no step before has printed ${name}`);
      return id;
    }),
  );
}
