import { writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { BillError, readBill } from '../src/index.ts';
import { filePath, linesOf } from './bill-file.ts';

/** 2026-11-01 and the day after, in Unix seconds. */
const [START, END] = [1_793_491_200, 1_793_577_600];
const page = (results: object[], hasMore = false) =>
  JSON.stringify({
    object: 'page',
    data: [{ object: 'bucket', start_time: START, end_time: END, results }],
    has_more: hasMore,
    next_page: hasMore ? 'page_2' : null,
  });
const ofDay = { day: '2026-11-01' };

describe('OpenAI', () => {
  const completions = {
    object: 'organization.usage.completions.result',
    input_tokens: 1_000,
    input_cached_tokens: 300,
    input_cache_write_tokens: 100,
    input_uncached_tokens: 600,
    input_text_tokens: 520,
    input_audio_tokens: 50,
    input_image_tokens: 30,
    output_tokens: 210,
    output_text_tokens: 200,
    output_audio_tokens: 10,
    num_model_requests: 7,
    model: 'gpt-4o-2024-08-06',
    project_id: 'proj_1',
    api_key_id: 'key_1',
    batch: false,
    service_tier: 'flex',
    a_new_member: { deep: [1] },
  };
  const base = {
    ...ofDay,
    model: 'gpt-4o-2024-08-06',
    credential: 'key_1',
    project: 'proj_1',
    serviceTier: 'flex',
  };

  it('usage counts each token once', async () => {
    expect(await linesOf(page([completions]))).toEqual([
      { ...base, unit: 'inputTokens', unitName: 'input_tokens', quantity: 520n },
      { ...base, unit: 'cachedInputTokens', unitName: 'input_cached_tokens', quantity: 300n },
      { ...base, unit: 'cacheWriteTokens', unitName: 'input_cache_write_tokens', quantity: 100n },
      { ...base, unit: 'audioInputTokens', unitName: 'input_audio_tokens', quantity: 50n },
      { ...base, unit: 'imageInputTokens', unitName: 'input_image_tokens', quantity: 30n },
      { ...base, unit: 'outputTokens', unitName: 'output_tokens', quantity: 200n },
      { ...base, unit: 'audioOutputTokens', unitName: 'output_audio_tokens', quantity: 10n },
      { ...base, unit: 'requests', unitName: 'num_model_requests', quantity: 7n, requests: 7 },
    ]);
  });

  it('usage of batches, searches, audio and unknown units is kept', async () => {
    const lines = await linesOf(
      [
        page([{ input_tokens: 5, output_tokens: 0, num_model_requests: 1, model: 'm', batch: true }]),
        page([{ seconds: 90, num_model_requests: 2, model: 'whisper-1' }]),
        page([{ num_requests: 3, num_model_requests: 2, model: 'm' }]),
        page([{ usage_bytes: 11 }]),
      ].join('\n'),
    );
    expect(lines).toEqual([
      {
        ...ofDay,
        model: 'm',
        serviceTier: 'batch',
        unit: 'inputTokens',
        unitName: 'input_tokens',
        quantity: 5n,
      },
      {
        ...ofDay,
        model: 'm',
        serviceTier: 'batch',
        unit: 'requests',
        unitName: 'num_model_requests',
        quantity: 1n,
        requests: 1,
      },
      { ...ofDay, model: 'whisper-1', unit: 'audioMs', unitName: 'seconds', quantity: 90_000n },
      {
        ...ofDay,
        model: 'whisper-1',
        unit: 'requests',
        unitName: 'num_model_requests',
        quantity: 2n,
        requests: 2,
      },
      { ...ofDay, model: 'm', unit: 'webSearchRequests', unitName: 'num_requests', quantity: 3n },
      { ...ofDay, unitName: 'usage_bytes', quantity: 11n },
    ]);
  });

  it('costs are exact, and in JSON as in CSV', async () => {
    const json = `[${page([
      {
        amount: { value: '@', currency: 'usd' },
        line_item: 'gpt-4o-2024-08-06, cached input',
        quantity: 12.5,
        quantity_unit: '1000_tokens',
      },
      { amount: { value: 3, currency: 'usd' }, line_item: 'web search tool calls', quantity: 4 },
    ]).replace('"@"', '9007199.2547409931')}]`;
    const model = 'gpt-4o-2024-08-06';
    const [cached, searches] = [
      {
        ...ofDay,
        unit: 'cachedInputTokens',
        costNanoUsd: 9_007_199_254_740_993n,
        model,
        unitName: `${model}, cached input`,
      },
      { ...ofDay, unitName: 'web search tool calls', costNanoUsd: 3_000_000_000n },
    ];
    expect(await linesOf(json)).toEqual([{ ...cached, quantity: 12_500n }, searches]);
    const csv = [
      'start_time,end_time,amount_value,amount_currency,line_item,project_id,project_name,organization_name',
      `${START},${END},9007199.2547409931,usd,"${model}, cached input",proj_1,First,Org`,
      `${START},${END},0.5,usd,"${model}, flex output",,,Org`,
    ].join('\n');
    expect(await linesOf(csv)).toEqual([
      { ...cached, project: 'proj_1' },
      {
        ...ofDay,
        model,
        serviceTier: 'flex',
        unit: 'outputTokens',
        unitName: `${model}, flex output`,
        costNanoUsd: 500_000_000n,
      },
    ]);
  });
});

describe('Anthropic', () => {
  const bucket = (results: object[]) =>
    JSON.stringify({
      data: [{ starting_at: '2026-11-01T00:00:00Z', ending_at: '2026-11-02T00:00:00Z', results }],
      has_more: false,
      next_page: null,
    });

  it('usage has the parts of the input as lines', async () => {
    const result = {
      uncached_input_tokens: 1_500,
      cache_creation: { ephemeral_1h_input_tokens: 1_000, ephemeral_5m_input_tokens: 500 },
      cache_read_input_tokens: 200,
      output_tokens: 500,
      server_tool_use: { web_search_requests: 10 },
      api_key_id: 'apikey_1',
      workspace_id: 'wrkspc_1',
      model: 'claude-opus-4-6',
      service_tier: 'standard',
      context_window: '0-200k',
    };
    const base = {
      ...ofDay,
      model: 'claude-opus-4-6',
      credential: 'apikey_1',
      project: 'wrkspc_1',
      serviceTier: 'standard',
    };
    const lines = await linesOf(bucket([result]));
    expect(lines.map(({ quantity, unit }) => [unit, quantity])).toEqual([
      ['inputTokens', 1_500n],
      ['cachedInputTokens', 200n],
      ['cacheWriteTokens', 500n],
      ['cacheWrite1hTokens', 1_000n],
      ['outputTokens', 500n],
      ['webSearchRequests', 10n],
    ]);
    expect(lines[0]).toMatchObject(base);
  });

  it('costs are in cents', async () => {
    const amount = {
      currency: 'USD',
      amount: '123.4567891',
      model: 'claude-opus-4-6',
      service_tier: 'batch',
    };
    const lines = await linesOf(
      bucket([
        {
          ...amount,
          cost_type: 'tokens',
          token_type: 'cache_creation.ephemeral_1h_input_tokens',
          description: 'Cache',
        },
        { currency: 'USD', amount: '1', cost_type: 'code_execution', description: 'Code Execution Usage' },
      ]),
    );
    expect(lines).toEqual([
      {
        ...ofDay,
        model: 'claude-opus-4-6',
        serviceTier: 'batch',
        unit: 'cacheWrite1hTokens',
        unitName: 'Cache',
        costNanoUsd: 1_234_567_891n,
      },
      { ...ofDay, unitName: 'Code Execution Usage', costNanoUsd: 10_000_000n },
    ]);
  });

  it("exports of the console are read, with the console's names of models", async () => {
    const usage = [
      'usage_date_utc,model_version,api_key,workspace,usage_type,context_window,usage_input_tokens_no_cache,usage_input_tokens_cache_write_5m,usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,usage_output_tokens,web_search_count,inference_geo,speed',
      '2026-11-01,claude-sonnet-4-20250514,my key,Default,standard,≤ 200k,100000,0,0,7,5000,10,not_available,',
    ].join('\n');
    expect((await linesOf(usage)).map(({ quantity, unit }) => [unit, quantity])).toEqual([
      ['inputTokens', 100_000n],
      ['cachedInputTokens', 7n],
      ['outputTokens', 5_000n],
      ['webSearchRequests', 10n],
    ]);
    const costs = [
      'usage_date_utc,model,workspace,api_key,usage_type,context_window,token_type,cost_usd,list_price_usd,cost_type,inference_geo,speed,api_key_id,api_key_status',
      '2026-11-01,Claude Sonnet 4.5,Default,my key,message,≤ 200k,input_cache_read,0.10,1.00,token,not_available,,apikey_1,active',
    ].join('\r\n');
    expect(await linesOf(costs)).toEqual([
      {
        ...ofDay,
        model: 'Claude Sonnet 4.5',
        credential: 'apikey_1',
        project: 'Default',
        unit: 'cachedInputTokens',
        unitName: 'input_cache_read',
        costNanoUsd: 100_000_000n,
      },
    ]);
  });
});

const PROFILE = 'arn:aws:bedrock:us-east-1:111122223333:application-inference-profile/abc';
const ARN = 'arn:aws:bedrock:us-east-1:111122223333:inference-profile/us.anthropic.claude-sonnet-4-6-v1:0';
const CUR_HEADER = [
  'line_item_line_item_type',
  'line_item_product_code',
  'line_item_usage_start_date',
  'line_item_usage_end_date',
  'line_item_usage_type',
  'line_item_operation',
  'line_item_usage_amount',
  'line_item_unblended_cost',
  'line_item_currency_code',
  'line_item_resource_id',
  'line_item_usage_account_id',
  'line_item_line_item_description',
  'pricing_unit',
  'product',
  'a_column_of_tomorrow',
];
const DATES = ['2026-11-01T05:00:00.000Z', '2026-11-01T06:00:00.000Z'];
const CUR_ROWS = [
  [
    'Usage',
    'AmazonBedrock',
    ...DATES,
    'USE1-Claude4.6Sonnet-input-tokens',
    'InvokeModelInference',
    '12.345',
    '0.037035',
    'USD',
    ARN,
    '111122223333',
    '$0.003 per 1K input tokens',
    '1K tokens',
    '{"product_name":"Amazon Bedrock"}',
    'x',
  ],
  [
    'Usage',
    'AmazonBedrock',
    ...DATES,
    'USE1-NovaPro-output-tokens-flex',
    'InvokeModelInference',
    '0.0005',
    '0.0000016',
    'USD',
    PROFILE,
    '111122223333',
    '',
    '1K tokens',
    '',
    '',
  ],
  [
    'Usage',
    'abc123mp',
    ...DATES,
    'USE1-MP:USE1_OutputTokenCount-Units',
    'Usage',
    '0.25',
    '3.75',
    'USD',
    '',
    '111122223333',
    'AWS Marketplace software usage|us-east-1|Million Response Tokens',
    'Units',
    '{"product_name":"Claude Sonnet 4 (Amazon Bedrock Edition)"}',
    '',
  ],
  [
    'Usage',
    'AmazonBedrock',
    ...DATES,
    'USE1-NovaCanvas-T2I-1024-Standard',
    'InvokeModelInference',
    '3',
    '0.12',
    'USD',
    '',
    '111122223333',
    '',
    'Image',
    '',
    '',
  ],
  [
    'Credit',
    'AmazonBedrock',
    ...DATES,
    'USE1-Claude4.6Sonnet-input-tokens',
    '',
    '0',
    '-0.01',
    'USD',
    '',
    '111122223333',
    'Promotion',
    '',
    '',
    '',
  ],
  [
    'Usage',
    'AmazonEC2',
    ...DATES,
    'USE1-BoxUsage:m7g.large',
    'RunInstances',
    '1',
    '0.08',
    'USD',
    '',
    '111122223333',
    '',
    'Hrs',
    '',
    '',
  ],
];
const CUR_CSV = [CUR_HEADER, ...CUR_ROWS]
  .map((row) => row.map((cell) => JSON.stringify(cell).replaceAll('\\"', '""')).join(','))
  .join('\n');
const CUR_LINES = [
  {
    ...ofDay,
    model: 'us.anthropic.claude-sonnet-4-6-v1:0',
    project: '111122223333',
    unit: 'inputTokens',
    unitName: 'USE1-Claude4.6Sonnet-input-tokens',
    quantity: 12_345n,
    costNanoUsd: 37_035_000n,
  },
  {
    ...ofDay,
    model: 'NovaPro',
    credential: PROFILE,
    project: '111122223333',
    serviceTier: 'flex',
    unit: 'outputTokens',
    unitName: 'USE1-NovaPro-output-tokens-flex',
    // Half a token is no whole number.
    quantity: '0.5',
    costNanoUsd: 1_600n,
  },
  {
    ...ofDay,
    model: 'Claude Sonnet 4 (Amazon Bedrock Edition)',
    project: '111122223333',
    unit: 'outputTokens',
    unitName: 'USE1-MP:USE1_OutputTokenCount-Units',
    quantity: 250_000n,
    costNanoUsd: 3_750_000_000n,
  },
  {
    ...ofDay,
    project: '111122223333',
    unitName: 'USE1-NovaCanvas-T2I-1024-Standard',
    quantity: 3n,
    costNanoUsd: 120_000_000n,
  },
  {
    ...ofDay,
    model: 'Claude4.6Sonnet',
    project: '111122223333',
    unitName: 'Credit: Promotion',
    costNanoUsd: -10_000_000n,
  },
];

describe('AWS', () => {
  it('a Cost and Usage Report in CSV has the lines of Bedrock', async () => {
    expect(await linesOf(CUR_CSV)).toEqual(CUR_LINES);
  });

  it('it may be compressed, and may be in Parquet', async () => {
    expect(await linesOf(gzipSync(CUR_CSV))).toEqual(CUR_LINES);
    expect(await linesOf(curParquet())).toEqual(CUR_LINES);
  });
});

/** As AWS writes it: doubles for numbers, timestamps for times, a map for the product. */
function curParquet(): Buffer {
  const columnData = CUR_HEADER.filter((name) => name !== 'product').map((name, index) => {
    const at = CUR_HEADER.indexOf(name);
    const cells = CUR_ROWS.map((row) => row[at] ?? '');
    if (name.endsWith('_date'))
      return { name, data: cells.map((cell) => new Date(cell)), type: 'TIMESTAMP' as const };
    if (/_(?:amount|cost)$/.test(name)) return { name, data: cells.map(Number), type: 'DOUBLE' as const };
    return { name, data: cells, type: 'STRING' as const, nullable: index > 0 };
  });
  const names = CUR_ROWS.map(
    (row) => /product_name":"([^"]+)/.exec(row[CUR_HEADER.indexOf('product')] ?? '')?.[1] ?? '',
  );
  const product = { name: 'product_product_name', data: names, type: 'STRING' as const };
  return Buffer.from(parquetWriteBuffer({ columnData: [...columnData, product] }));
}

describe('Google Cloud', () => {
  it('a billing export has the lines of models, and credits with a negative cost', async () => {
    const csv = [
      'billing_account_id,service.description,sku.description,usage_start_time,usage_end_time,project.id,cost,currency,usage.amount,usage.unit,credits,cost_type',
      'A,Vertex AI,Gemini 2.5 Flash GA Text Input - Predictions,2026-11-01 00:00:00 UTC,2026-11-01 01:00:00 UTC,my-project,1.2143,USD,1065040,requests,"[{""name"":""Trial"",""amount"":-0.2143}]",regular',
      'A,Vertex AI,Gemini 3 Flash Text Input Caching Storage,2026-11-01 00:00:00 UTC,2026-11-01 01:00:00 UTC,my-project,0.5,USD,2.5,hour,[],regular',
      'A,Compute Engine,N2 Core,2026-11-01 00:00:00 UTC,2026-11-01 01:00:00 UTC,my-project,9,USD,1,hour,[],regular',
    ].join('\n');
    const base = { ...ofDay, project: 'my-project' };
    expect(await linesOf(csv)).toEqual([
      {
        ...base,
        model: 'gemini-2.5-flash',
        unit: 'inputTokens',
        unitName: 'Gemini 2.5 Flash GA Text Input - Predictions',
        quantity: 1_065_040n,
        costNanoUsd: 1_214_300_000n,
      },
      { ...base, model: 'gemini-2.5-flash', unitName: 'credit: Trial', costNanoUsd: -214_300_000n },
      {
        ...base,
        model: 'gemini-3-flash',
        unitName: 'Gemini 3 Flash Text Input Caching Storage',
        quantity: '2.5',
        costNanoUsd: 500_000_000n,
      },
    ]);
  });
});

describe('requests', () => {
  it('one by one have their ids, and units as in the API of the gateway', async () => {
    const csv = [
      'time,request_id,client_request_id,model,credential,service_tier,input_tokens,cached_input_tokens,output_tokens,audio_seconds,cost_usd',
      '2026-11-01T10:00:00.250Z,req_1,ours_1,gpt-4o,key_1,Priority,100,40,7,1.5,0.00012345678',
    ].join('\n');
    const base = {
      ...ofDay,
      model: 'gpt-4o',
      credential: 'key_1',
      serviceTier: 'priority',
      requestId: 'req_1',
      clientRequestId: 'ours_1',
    };
    expect(await linesOf(csv)).toEqual([
      { ...base, unit: 'inputTokens', unitName: 'input_tokens', quantity: 60n },
      { ...base, unit: 'cachedInputTokens', unitName: 'cached_input_tokens', quantity: 40n },
      { ...base, unit: 'outputTokens', unitName: 'output_tokens', quantity: 7n },
      { ...base, unit: 'audioMs', unitName: 'audio_seconds', quantity: 1_500n },
      { ...base, unit: 'requests', unitName: 'requests', quantity: 1n, requests: 1, costNanoUsd: 123_457n },
    ]);
  });
});

describe('a file', () => {
  it.each([
    [
      'without a known header',
      'a,b\n1,2\n',
      /line 2 is not recognized: .* Accepted formats: requests .*; OpenAI costs .*Google Cloud/,
    ],
    ['that is empty', '', /The file is empty\. Accepted formats/],
    ['of other JSON', '{"hello":[1]}', /no time buckets/],
    ['of buckets of another API', page([{ hello: 1 }]), /bucket 1 is not recognized/],
    [
      'whose pages are incomplete',
      page([{ amount: { value: 1, currency: 'usd' } }], true),
      /"has_more": true/,
    ],
    [
      'that was cut off in JSON',
      page([{ amount: { value: 1, currency: 'usd' } }]).slice(0, -30),
      /JSON file is damaged or cut off/,
    ],
    ['that was cut off in CSV', CUR_CSV.slice(0, -40), /CSV file is damaged or cut off/],
    ['that was cut off in gzip', gzipSync(CUR_CSV).subarray(0, -20), /The \.gz file is damaged or cut off/],
    ['that was cut off in Parquet', curParquet().subarray(0, -20), /Parquet file is damaged or cut off/],
    [
      'with a wrong number',
      CUR_CSV.replace('12.345', '12.3.45'),
      /line 2, column line_item_usage_amount: "12\.3\.45" is not a number/,
    ],
    [
      'with a negative count',
      page([{ input_tokens: -1, num_model_requests: 1 }]),
      /bucket 1, column input_tokens: "-1" is not a whole number/,
    ],
    [
      'with a wrong time',
      CUR_CSV.replace(DATES[0] ?? '', 'yesterday'),
      /line 2, column line_item_usage_start_date: "yesterday" is not a time/,
    ],
    [
      'in another currency',
      CUR_CSV.replace('"USD"', '"EUR"'),
      /line 2: the currency is EUR\. Only bills in USD/,
    ],
  ])('%s is refused by what is wrong', async (_case, content, message) => {
    const error = await linesOf(content).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(BillError);
    expect(String(error)).toMatch(message);
  });

  it('without any usage has no lines', async () => {
    expect(await linesOf('{"data":[],"has_more":false,"next_page":null}')).toEqual([]);
    expect(await linesOf(page([]))).toEqual([]);
  });

  it('is read row by row, and can be left at any of them', async () => {
    const path = await filePath();
    const rows = `${CUR_ROWS[1]?.join(',')}\n`.repeat(50_000);
    await writeFile(path, gzipSync(`${CUR_HEADER.join(',')}\n${rows}`));
    let read = 0;
    for await (const { lines } of readBill(path)) {
      read += lines.length;
      if (read === 1_000) break;
    }
    expect(read).toBe(1_000);
  });
});
