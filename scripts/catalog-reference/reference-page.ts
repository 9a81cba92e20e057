import { METERED, NEEDED_PRICES } from '../../packages/shared/src/index.ts';
import type { Section } from './describe-members.ts';

const INTRODUCTION = `# The catalog file

<!-- Written by \`npm run catalog-reference\` from the schema in packages/shared/src/catalog: edit that. -->

A catalog file says which providers the gateway asks, and which models callers can ask for. It is YAML (or
JSON). \`gatewayctl catalog apply -f FILE\` makes the catalog what the file says, and
\`gatewayctl catalog show\` prints the present catalog as a file
([how to add a provider](configuration.md#the-catalog)). A member that is not on this page is refused, so that
a typing error is found at once.

Editors can complete and check the file with [catalog-file.schema.json](catalog-file.schema.json). In VS Code
with the YAML extension, for instance, make this the first line:

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
    description: Thinks for minutes before it says anything.
    capability: chat
    tier: free
    upstreams:
      - { provider: acme, model: thinker-2026-01 }
    timeouts_ms: { first_byte: 300000, first_byte_plain: 900000, total: 1800000 }
\`\`\`
`;

const TIMEOUTS = `A call runs into one of them, counted from when the provider is asked:

${callTable()}

Then the next upstream is asked, or the caller gets 504 \`upstream_timeout\` (an error event, if a stream has
begun). Time in which the gateway waits for the caller, as during a slow upload, does not count.

**Which to set.** Models that think for minutes need a long \`total\`. Then a provider that hangs would keep a
call just as long. So set \`first_byte_plain\`, too: to the longest time that the provider takes to begin an
answer. Many providers send nothing before the whole answer is there. For them \`first_byte_plain\` is the
longest time that an answer may take, and \`total\` adds nothing.

**Whose failure it is.** A provider that has not begun in time has failed. That counts for its status, and
after enough of these failures it is not asked for a few seconds. A call that runs into \`total\` does not
count, if the provider began within a \`first_byte_plain\` of its own: a caller can make an answer as long as
it likes (with a huge \`max_tokens\`), and must not shut others out. No other upstream is asked for such a
call either. A provider that begins and then hangs shows among the calls that wait. Without a
\`first_byte_plain\` nothing tells these two apart, and \`total\` counts as the provider's failure.

**Connections that are dead.** If the machine or the network of a provider is gone without a word, the gateway
notices it within about 20 seconds, whatever the time-outs say. TCP probes a silent connection after 5 s, ten
times, a second apart; over HTTP/2 a ping goes out every 5 s. One case is left to the time-outs: a request
over HTTP/1.1 on a kept connection whose other end went away in the seconds before. TCP does not probe while
something that it sent is not acknowledged.

**Calls that wait** are in the metrics \`gateway_waiting_calls\` and \`gateway_longest_waiting_call_seconds\`
(by provider and model) of each data plane; those that wait for 10 s or more also in \`gatewayctl status\` and
\`GET /v1/status/models\`.`;

const TIERS = `For example, a model whose prices rise above 200,000 tokens of input:

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

const VIRTUAL = `For example, a canary that gets one request of twenty:

\`\`\`yaml
- id: acme/assistant
  name: Assistant
  kind: virtual
  aliases: [gpt-4o]
  models:
    - { model: acme/small, weight: 95 }
    - { model: acme/small-next, weight: 5 }
\`\`\`

In \`GET /v1/models\` it has the least of its models' \`context_length\` and \`max_output_tokens\`, what all of them
take and give, and the prices of the dearest one.`;

/** Remarks below the table of an object that its schema cannot express. */
const REMARKS: Record<string, string> = {
  'models[kind: virtual].models[]': VIRTUAL,
  'providers[].timeouts_ms': TIMEOUTS,
  'models[].timeouts_ms':
    'They count at all upstreams of the model. What they mean: [above](#providerstimeouts_ms).',
  'models[].pricing': prices(),
  'models[].pricing.tiers[]': TIERS,
};

/** Makes the page that documents the catalog file, in Markdown. */
export function referencePage(sections: readonly Section[]): string {
  return `${[INTRODUCTION.trim(), ...sections.map(sectionText)].join('\n\n')}\n`;
}

function sectionText({ description, members, path }: Section): string {
  const parts = [path === '' ? '## The file' : `## \`${path}\``];
  if (description !== '') parts.push(description);
  parts.push(
    table(
      ['member', 'value', 'left out', ''],
      members.map((member) => [
        `\`${member.name}\``,
        member.value,
        member.leftOut ?? '**required**',
        member.description,
      ]),
    ),
  );
  const remarks = REMARKS[path];
  if (remarks !== undefined) parts.push(remarks);
  return parts.join('\n\n');
}

function callTable(): string {
  return table(
    ['call', 'until the connection', 'until it begins', 'from then on'],
    [
      ['streamed', '`connect`', '`first_byte`: the first event', '`idle`: each event'],
      ['not streamed', '`connect`', '`first_byte_plain`: anything, even headers', '`total`: all of it'],
    ],
  );
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
  return `Which prices count depends on the capability. A price of a paid model that would never be charged is
refused.

What a provider reports and has no price here is charged all the same, never as nothing
([what is billed](billing.md#what-is-charged)). The data plane counts it in the metric
\`gateway_unpriced_units_total\` (by model and unit), and warns of each model once: compare with the
provider's price list then.

${table(['capability', 'a paid model needs', 'and may have'], rows)}`;
}

/** Makes a table in the format that this repository's formatter keeps. */
function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows].map((cells) => cells.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = header.map((_, column) => Math.max(3, ...lines.map((cells) => cells[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [first = [], ...others] = lines;
  return [line(first), line(widths.map((width) => '-'.repeat(width))), ...others.map(line)].join('\n');
}
