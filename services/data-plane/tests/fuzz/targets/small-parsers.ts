import { catalogDocument, GatewayError, isWellFormedApiKey } from '@model-gateway/shared';
import fc from 'fast-check';
import { parse as parseYaml } from 'yaml';
import { parseCatalogFile } from '../../../../../packages/cli/src/catalog-file/parse-catalog-file.ts';
import { CommandFailure } from '../../../../../packages/cli/src/command-failure.ts';
import { simulatedCatalog } from '../../../../../packages/test-kit/src/simulated-catalog.ts';
import { SealedIds } from '../../../src/chat/sealed-ids.ts';
import { ResponseCipher } from '../../../src/stored-responses/response-cipher.ts';
import { decodePage, encodePage } from '../../../src/usage/page-token.ts';
import { parseUsageQuery } from '../../../src/usage/parse-usage-query.ts';
import { type FuzzTarget, require } from '../fuzz-target.ts';
import { type Json, mutatedJson, mutatedText } from '../mutate.ts';

const NOW = 1_790_000_000;
const PAGE = encodePage({ startTime: 1, endTime: 2, pageStart: 1, pageAfter: 'abc' });
const QUERIES = [
  'start_time=1780000000&end_time=1790000000&bucket_width=1h&limit=24',
  'group_by=model&group_by[]=key,project&models=a/b,c/d',
  `page=${PAGE}`,
];
const QUERY_TOKENS = [
  '&',
  '=',
  '%',
  '%00',
  '[]',
  ',',
  '-1',
  '1e9',
  '99999999999',
  '0',
  'page=',
  'limit=',
  PAGE,
];

/** Parses queries of GET /v1/usage and their page tokens. */
export const usageQueries: FuzzTarget<string> = {
  name: 'usage-queries',
  input: mutatedText(QUERIES, QUERY_TOKENS),
  check(query) {
    const token = new URLSearchParams(query).get('page');
    const page = token === null ? undefined : decodePage(token);
    if (page !== undefined) require(encodePage(page) === token, 'a page has two tokens');
    try {
      const asked = parseUsageQuery(new URLSearchParams(query), NOW);
      const { endTime, limit, pageStart = 0, startTime } = asked;
      for (const number of [endTime, limit, pageStart, startTime])
        require(Number.isSafeInteger(number) && number >= 0, `${number} is no time and no limit`);
      require(startTime < endTime && limit > 0, 'an empty period or page');
    } catch (thrown) {
      require(thrown instanceof GatewayError && thrown.status === 400, `${thrown}`);
    }
  },
};

const ACCOUNT = 'acc_1';
const sealedIds = new SealedIds('a pepper that is long enough, really', 'an old pepper that is long enough');
const SEALED = sealedIds.sealer(ACCOUNT, 'acme/small').seal('openai', 'resp_68f');
const cipher = new ResponseCipher(Buffer.alloc(32, 1)).of(ACCOUNT);
const CIPHERED = cipher.seal([Buffer.from('{"a":1}')], 'name').toString('latin1');
const KEY = 'gw_live_0000000000000000000000000000000000000000000000000';

/** Opens sealed ids, stored responses and keys: only sealed ones open. */
export const sealed: FuzzTarget<string> = {
  name: 'sealed',
  input: mutatedText([SEALED, CIPHERED, KEY], ['resp_', 'gw_live_', '\u0001', '\0', '=', '-', '_', '+', '/']),
  check(text) {
    const id = sealedIds.open(ACCOUNT, text);
    require(id === undefined || text === SEALED, 'an id opens that nobody has sealed');
    require(sealedIds.open('acc_2', text) === undefined, 'an id opens for another account');
    const bytes = Buffer.from(text, 'latin1');
    require(cipher.open(bytes, 'name') === undefined || text === CIPHERED, 'changed bytes open');
    require(cipher.open(bytes, 'other') === undefined, 'bytes open under another name');
    isWellFormedApiKey(text);
  },
};

const YAML = [
  `providers:
  - { id: sim, name: Simulated, kind: openai-compatible, base_url: "http://127.0.0.1/v1", credential_env: KEY }
models:
  - id: sim/a
    name: A
    capability: chat
    tier: paid
    max_output_tokens: 100
    upstreams: [{ provider: sim, model: a }]
    pricing: { input_per_million_usd: "1.00", output_per_million_usd: "2" }
`,
  'a: &x [1, 2]\nb: *x\nc: |\n  text\nd: >-\n  folded\n? e\n: f\n',
  JSON.stringify(simulatedCatalog('http://127.0.0.1/v1')),
];
const YAML_TOKENS = [
  '&a ',
  '*a',
  '!!binary ',
  '!x ',
  '%YAML 1.1\n',
  '---\n',
  '...\n',
  '<<: ',
  '? ',
  '- ',
  ': ',
  '#',
  '|',
  '>',
  '"',
  "'",
  '\t',
  '{',
  '}',
  '[',
  ']',
  '0x1f',
  '.inf',
  '~',
  '1e999',
  'id: ',
  '__proto__: ',
  '\n',
  '  ',
];

/** Parses catalog files: refused with a line, or plain values. */
export const catalogText: FuzzTarget<string> = {
  name: 'catalog-text',
  input: mutatedText(YAML, YAML_TOKENS),
  check(text) {
    let file: ReturnType<typeof parseCatalogFile>;
    try {
      file = parseCatalogFile(text, 'catalog.yaml');
    } catch (thrown) {
      require(thrown instanceof CommandFailure, `${thrown}`);
      return;
    }
    const { error } = catalogDocument.safeParse(file.content);
    for (const { path } of error?.issues ?? []) {
      const line = file.lineOf(
        path
          .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
          .join('')
          .replace(/^\./, ''),
      );
      require(line >= 1 && line <= text.split('\n').length + 1, `line ${line}`);
    }
  },
};

const catalog: Json = parseYaml(YAML[0] ?? '');
const catalogs: Json[] = [catalog, JSON.parse(YAML[2] ?? '')];

/** Validates catalogs: the schema accepts or refuses, and never throws. */
export const catalogSchema: FuzzTarget<Json> = {
  name: 'catalog-schema',
  input: fc.oneof(mutatedJson(catalogs)),
  check(document) {
    const { data, error } = catalogDocument.safeParse(document);
    require((data === undefined) !== (error === undefined), 'neither taken nor refused');
  },
};
