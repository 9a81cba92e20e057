import { METERED, NEEDED_PRICES } from '../../packages/shared/src/index.ts';
import { markdownTable } from '../documents/markdown-table.ts';
import type { Section } from './describe-members.ts';

const INTRODUCTION = `# The catalog file

<!-- Written by \`npm run catalog-reference\` from the schema in packages/shared/src/catalog: edit that. -->

Add your providers and models in a YAML (or JSON) file. \`gatewayctl catalog apply -f FILE\` makes the catalog equal to
the file, \`gatewayctl catalog show\` prints it as a file ([how to add a provider](configuration.md#the-catalog)).
Members that are not on this page are refused.

Editors can complete and check the file with [catalog-file.schema.json](catalog-file.schema.json). In VS Code with the
YAML extension, make this the first line:

\`\`\`yaml
# yaml-language-server: $schema=docs/catalog-file.schema.json
\`\`\`

A whole file:

\`\`\`yaml
providers:
  - id: acme
    name: Acme AI
    kind: openai-compatible
    base_url: https://api.acme.example/v1
    credential_env: ACME_API_KEY
    timeouts_ms: { connect: 3000, first_byte_plain: 60000 }
models:
  - id: acme/small
    name: Small
    capability: chat
    tier: paid
    context_length: 128000
    max_output_tokens: 4096
    upstreams:
      - { provider: acme, model: small-2026-01 }
    pricing: { input_per_million_usd: "0.15", output_per_million_usd: "0.60" }
  - id: acme/thinker
    name: Thinker
    description: Thinks for minutes before it answers.
    capability: chat
    tier: free
    upstreams:
      - { provider: acme, model: thinker-2026-01 }
    timeouts_ms: { first_byte: 300000, first_byte_plain: 900000, total: 1800000 }
\`\`\`
`;

const TIMEOUTS = `Each wait of a call has its own timeout, counted from when the provider is called:

${callTable()}

After a timeout the next upstream is tried; if none is left, the caller gets 504 \`upstream_timeout\` (an error event in
a stream). Waiting for the caller, as during a slow upload, does not count.

**Which to set.** Models that think for minutes need a long \`total\`, with which a hanging provider would
keep a call just as long. So also set \`first_byte_plain\` to the longest time that the provider takes to
begin. Many providers send nothing before the response is complete; for them \`first_byte_plain\` is the
maximum duration.

**The bundled catalogs** set \`first_byte_plain\` to 300,000 (five minutes). A hanging call keeps its reserved
money and its connection that long. Models that think send the first byte of a plain answer after minutes, so
less would cut good answers; more is of little use, because load balancers of clouds and providers end silent
connections after one to ten minutes, most after less than five. Stream what takes longer. For models that
think longest, raise it (\`gpt-5.5-pro\` has ten minutes).

**Whose failure it is.** A provider that has not begun in time has failed, for its status and its circuit
breaker. A call that reaches \`total\` is no failure if the provider began within \`first_byte_plain\`,
because callers choose how long responses are (a huge \`max_tokens\`) and must not shut others out; no other
upstream is tried. Without \`first_byte_plain\`, reaching \`total\` is the provider's failure.

**Dead connections.** If a provider's machine or network disappears, the gateway notices within 20 seconds,
whatever the timeouts are: TCP probes a silent connection after 5 s, ten times at intervals of a second;
HTTP/2 sends a ping every 5 s. Only a request on a reused HTTP/1.1 connection that died seconds before waits
for its timeout.

**Waiting calls** are in the metrics \`gateway_waiting_calls\` and \`gateway_longest_waiting_call_seconds\`;
those that wait for 10 s or more also in \`gatewayctl status\` and \`GET /v1/status/models\`.`;

const TIERS = `For example, higher prices above 200,000 input tokens:

\`\`\`yaml
pricing:
  input_per_million_usd: "3"
  cached_input_per_million_usd: "0.30"
  cache_write_per_million_usd: "3.75"
  output_per_million_usd: "15"
  tiers:
    - above_input_tokens: 200000
      input_per_million_usd: "6"
      cached_input_per_million_usd: "0.60"
      cache_write_per_million_usd: "7.50"
      output_per_million_usd: "22.50"
\`\`\``;

const VIRTUAL = `For example, a canary for one request in twenty:

\`\`\`yaml
- id: acme/assistant
  name: Assistant
  kind: virtual
  aliases: [gpt-4o]
  models:
    - { model: acme/small, weight: 95 }
    - { model: acme/small-next, weight: 5 }
\`\`\`

\`GET /v1/models\` shows the smallest \`context_length\` and \`max_output_tokens\` of its models, the modalities that all
have, and the highest prices.`;

/** Text below the table of an object, which its schema cannot express. */
const REMARKS: Record<string, string> = {
  'models[kind: virtual].models[]': VIRTUAL,
  'providers[].timeouts_ms': TIMEOUTS,
  'models[].timeouts_ms': 'For all upstreams of the model, as [above](#providerstimeouts_ms).',
  'models[].pricing': prices(),
  'models[].pricing.tiers[]': TIERS,
};

/** Returns docs/catalog-file.md. */
export function referencePage(sections: readonly Section[]): string {
  return `${[INTRODUCTION.trim(), ...sections.map(sectionText)].join('\n\n')}\n`;
}

function sectionText({ description, members, path }: Section): string {
  const parts = [path === '' ? '## The file' : `## \`${path}\``];
  if (description !== '') parts.push(description);
  parts.push(
    markdownTable([
      ['member', 'value', 'default', 'meaning'],
      ...members.map((member) => [
        `\`${member.name}\``,
        member.value,
        member.byDefault ?? '**required**',
        member.description,
      ]),
    ]),
  );
  const remarks = REMARKS[path];
  if (remarks !== undefined) parts.push(remarks);
  return parts.join('\n\n');
}

function callTable(): string {
  return markdownTable([
    ['call', 'until connected', 'until it begins', 'from then on'],
    ['streamed', '`connect`', '`first_byte`: the first event', '`idle`: each event'],
    ['not streamed', '`connect`', '`first_byte_plain`: anything, even headers', '`total`: all of it'],
  ]);
}

function prices(): string {
  const rows = Object.entries(METERED).map(([capability, metered]) => {
    const needed: readonly string[] =
      Object.entries(NEEDED_PRICES).find(([name]) => name === capability)?.[1] ?? [];
    const names = (prices: readonly string[]) => prices.map((name) => `\`${name}\``).join(', ');
    return [
      `\`${capability}\``,
      names(needed),
      names(metered.filter((name) => !needed.includes(name))) || '–',
    ];
  });
  return `A price that does not fit the capability is refused, because it would never be charged.

Units without a price here are charged all the same ([what is billed](billing.md#parts-of-tokens)). Data planes count
them in the metric \`gateway_unpriced_units_total\` and warn once per model: compare with the provider's price list.

${markdownTable([['capability', 'a paid model needs', 'and can have'], ...rows])}`;
}
